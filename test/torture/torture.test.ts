// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { torture } from "./torture.ts";

const test = suite("npm run torture, for a few seconds");

test("loses nothing acknowledged, and counts nothing twice", async () => {
  const lines: string[] = [];
  const result = await torture({ seed: 3, seconds: 4, workers: 2, print: (line) => lines.push(line) });
  assert.equal(result.breaches, [], lines.join("\n"));
  assert.ok(result.faults > 0 && result.clicks > 0 && result.events > 0);
});

test.run();
