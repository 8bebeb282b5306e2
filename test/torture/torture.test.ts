// time limit: 240 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { torture } from "./torture.ts";
import { breachesIn } from "./verdict.ts";

/** Those that no other test of the whole application has. */
const kinds = [
  "back up",
  "damage event store",
  "damage the spool",
  "full disk",
  "poison",
  "cut the way",
  "stall Postgres",
];

const test = suite("npm run torture, for a few seconds");

test("loses nothing acknowledged, and counts nothing twice", async () => {
  const lines: string[] = [];
  const { faults, evidence } = await torture({
    // The seed whose schedule has each fault once.
    ...{ seed: 7, seconds: 3, workers: 1, clients: 4, eventsOfBatch: 5, reports: 1 },
    ...{ maxFaultMs: 500, maxPauseMs: 500, kinds },
    print: (line) => lines.push(line),
  });
  // Speed is not judged beside other tests.
  assert.equal(breachesIn({ ...evidence, late: [] }), [], lines.join("\n"));
  assert.ok(evidence.clicks.size > 0 && evidence.events.size > 0 && evidence.reports.length > 0);
  assert.equal(
    kinds.filter((kind) => !faults.some((name) => name.includes(kind))),
    [],
    lines.join("\n"),
  );
});

test.run();
