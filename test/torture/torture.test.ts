// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { torture } from "./torture.ts";
import { breachesIn } from "./verdict.ts";

const test = suite("npm run torture, for a few seconds");

test("loses nothing acknowledged, and counts nothing twice", async () => {
  const lines: string[] = [];
  const { faults, evidence } = await torture({
    ...{ seed: 3, seconds: 4, workers: 1, clients: 4, eventsOfBatch: 5, reports: 1 },
    ...{ maxFaultMs: 4_000, maxPauseMs: 3_000, kinds: [] },
    print: (line) => lines.push(line),
  });
  // Speed is not judged beside other tests.
  assert.equal(breachesIn({ ...evidence, late: [] }), [], lines.join("\n"));
  assert.ok(faults > 0 && evidence.clicks.size > 0 && evidence.events.size > 0 && evidence.reports.length > 0);
});

test.run();
