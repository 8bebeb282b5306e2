import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { csv, validated, validCells } from "./csv-files.ts";
import { heavyFiles } from "./hostile-examples.ts";

/** What one file made of a process of its own. */
export interface Toll {
  readonly faults: unknown;
  /** Milliseconds of processor time, all threads together: other tests run beside it. */
  readonly ms: number;
  /** Kilobytes of anonymous memory at the most, above what there was before. */
  readonly growth: number;
}

const file = heavyFiles.find(({ name }) => name === process.argv[2]);
if (file === undefined) throw new Error(`There is no file "${process.argv[2]}"`);
const bytes = Buffer.from(await file.bytes());
// Ordinary work first, as in a server that is not new: growth is then what the file holds, not what V8 sets up once.
const ordinary = csv([Object.keys(validCells[file.kind]), ...Array(10_000).fill(Object.values(validCells[file.kind]))]);
for (let count = 0; count < 5; count += 1) await validated(file.kind, ordinary);

const before = anonymous();
let peak = before;
let isOver = false;
const since = process.cpuUsage();
const [validation] = await Promise.all([
  validated(file.kind, bytes).finally(() => {
    isOver = true;
  }),
  watch(),
]);
const faults = validation.outcome === "invalid" ? validation.faults : validation.rows.length;
const { user, system } = process.cpuUsage(since);
const toll: Toll = { faults, ms: (user + system) / 1000, growth: peak - before };
process.send?.(toll, () => process.disconnect());

async function watch(): Promise<void> {
  while (!isOver) {
    await setTimeout(2);
    peak = Math.max(peak, anonymous());
  }
}

function anonymous(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]);
}
