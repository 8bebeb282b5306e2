import { cp, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { open } from "lmdb";
import type { Random } from "../../infra/demo/random.ts";
import { type Ended, runProgram } from "../support/command-line.ts";
import type { Fault } from "./faults.ts";
import { type Node, restartLimitMs, type World } from "./world.ts";

const page = 4_096;
const embedded = { EVENTSTORE_URL: "", LOG_LEVEL: "silent" };

/** The stopped event store is damaged: `verify --log` names the event, the start refuses a cut file; then it is whole again. */
export function storeDamage({ store, scratch, breaches }: World, random: Random): Fault {
  const files = join(store.directory, "event-store");
  const whole = join(scratch, "whole-event-store");
  const environment = { ...embedded, DATA_DIR: store.directory };
  return {
    name: "damage event store",
    target: "event store",
    begin: async () => {
      await store.store.kill();
      await cp(files, whole, { recursive: true });
      const position = await flipBit(files, random);
      const checked = await runProgram(["verify", "--log"], environment);
      if (checked.code !== 1 || !checked.out.includes(`position ${position}: `)) {
        breaches.push(`verify --log does not name the damaged event at ${position}: ${textOf(checked)}`);
      }
      await truncate(join(files, "data.mdb"), page * random.whole(0, 1));
      const started = await runProgram(["event-store", "--port", "0"], environment);
      if (!isRefusal(started, "event store")) breaches.push(`a cut event store: ${textOf(started)}`);
    },
    end: async () => {
      await putBack(whole, files);
      await store.restart();
    },
  };
}

/** The spool of a stopped process is cut short: its start refuses; then it is whole again. */
export function spoolDamage({ scratch, breaches }: World, node: Node, target: string): Fault {
  const files = join(node.data, "spool");
  const whole = join(scratch, `whole-spool-of-${target.replaceAll(" ", "-")}`);
  return {
    name: `damage the spool of ${target}`,
    target,
    begin: async () => {
      await node.application.kill();
      await cp(files, whole, { recursive: true });
      await truncate(join(files, "data.mdb"), page);
      // A start does not come to the spool while a store is away.
      const deadline = performance.now() + restartLimitMs;
      for (;;) {
        const started = await runProgram(["start"], { ...node.environment, PORT: "0", LOG_LEVEL: "silent" });
        if (isRefusal(started, "spool")) break;
        if (started.code === 0 || performance.now() > deadline) {
          breaches.push(`a damaged spool: ${textOf(started)}`);
          break;
        }
      }
    },
    end: async () => {
      await putBack(whole, files);
      await node.start();
    },
  };
}

async function putBack(whole: string, files: string): Promise<void> {
  await rm(files, { recursive: true });
  await cp(whole, files, { recursive: true });
  await rm(whole, { recursive: true });
}

/** Changes one bit of a stored event; answers its position. */
async function flipBit(path: string, random: Random): Promise<number> {
  const root = open({ path, noSubdir: false, maxDbs: 4, encoding: "json" });
  try {
    const events = root.openDB<Buffer, number>({ name: "events", encoding: "binary" });
    const [head = 1] = events.getKeys({ reverse: true, limit: 1 });
    const position = random.whole(1, head);
    const bytes = Buffer.from(events.get(position) ?? []);
    const at = random.whole(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.whole(0, 7));
    await events.put(position, bytes);
    return position;
  } finally {
    await root.close();
  }
}

/** One line that says what is damaged and what to do. */
function isRefusal({ code, out, err }: Ended, what: string): boolean {
  return code === 1 && out === "" && new RegExp(`^The ${what} in \\S+ is damaged: [^\\n]+\\n$`).test(err);
}

function textOf({ code, out, err }: Ended): string {
  return `exit code ${code}: ${out}${err}`;
}
