import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { faultsOf } from "./csv-files.ts";
import type { Cost } from "./hostile-child.ts";
import { heavyFiles, oddFiles } from "./hostile-examples.ts";

/** The sender was answered before, when the bytes were in the log: this bounds the work that a file can cause. */
const maxCpuMs = 5_000;
const maxGrowthKib = 50 * 1024;

const heavy = suite("a heavy file is rejected within 5 s of processor time and 50 MiB");
let costs: readonly Cost[] = [];
heavy.before(async () => {
  const program = fileURLToPath(new URL("./hostile-child.js", import.meta.url));
  costs = await new Promise((resolve, reject) => {
    // Garbage is collected soon, also on a busy machine: growth is what a file takes, not when V8 collects.
    const child = fork(program, { execArgv: ["--expose-gc", "--max-semi-space-size=1"] });
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`exited with ${signal ?? code} before it responded`)));
  });
});

for (const [index, { name, faults }] of heavyFiles.entries()) {
  heavy(name, () => {
    const { cpuMs, growthKib, faults: found } = costs[index] ?? { cpuMs: 0, growthKib: 0, faults: null };
    assert.equal(found, faults);
    assert.ok(cpuMs < maxCpuMs, `took ${cpuMs.toFixed(0)} ms`);
    assert.ok(growthKib < maxGrowthKib, `grew by ${growthKib} KiB`);
  });
}

const odd = suite("an odd file is rejected with its faults");
for (const { name, kind, bytes, faults } of oddFiles) {
  odd(name, async () => {
    assert.equal(await faultsOf(kind, bytes()), faults);
  });
}

heavy.run();
odd.run();
