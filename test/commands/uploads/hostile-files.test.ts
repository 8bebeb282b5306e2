import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { faultsOf } from "./csv-files.ts";
import type { Toll } from "./hostile-child.ts";
import { heavyFiles, oddFiles } from "./hostile-examples.ts";

const child = fileURLToPath(new URL("./hostile-child.js", import.meta.url));
/**
 * Of CPU time. Whoever sent the file was answered before, when its bytes were in the log, and within a second
 * (`npm run bench -- uploads`): this bounds the work that somebody can cause, with room for machines that are slow.
 */
const longest = 5_000;
const mostGrowth = 50 * 1024;

function tollOf(name: string): Promise<Toll> {
  return new Promise((resolve, reject) => {
    const asked = fork(child, [name]);
    asked.once("message", resolve);
    asked.once("error", reject);
    asked.once("exit", (code, signal) => reject(new Error(`ended with ${signal ?? code} before it answered`)));
  });
}

const heavy = suite("a heavy file is judged within seconds and 50 MB");

for (const { name, faults } of heavyFiles) {
  heavy(name, async () => {
    const toll = await tollOf(name);
    assert.equal(toll.faults, faults);
    assert.ok(toll.ms < longest, `took ${toll.ms.toFixed(0)} ms`);
    assert.ok(toll.growth < mostGrowth, `grew by ${toll.growth} kB`);
  });
}

const odd = suite("an odd file is refused with what is wrong");

for (const { name, kind, bytes, faults } of oddFiles) {
  odd(name, async () => {
    assert.equal(await faultsOf(kind, await bytes()), faults);
  });
}

heavy.run();
odd.run();
