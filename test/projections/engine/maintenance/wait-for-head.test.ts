import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { waitForHead } from "../../../../projections/engine/maintenance/wait-for-head.ts";

const test = suite("waiting for the head of the log");

const { now } = performance;
let clockMs = 0;
test.before.each(() => {
  clockMs = 0;
});
test.before(() => {
  performance.now = () => clockMs;
});
test.after(() => {
  performance.now = now;
});

const stalledMs = 15_000;
const headPosition = async () => ({ commit: 3n, prepare: 3n });

/** A database of a group whose checkpoint is at one of the positions, and at the next one 10 s later. */
function checkpointAt(...positions: readonly bigint[]): Knex {
  const rest = [...positions];
  const raw = async () => {
    clockMs += 10_000;
    const [commit] = rest.length > 1 ? rest.splice(0, 1) : rest;
    return { rows: [{ group: "facts", commit, prepare: commit }] };
  };
  return { raw } as unknown as Knex;
}

test("takes as long as the checkpoint advances", async () => {
  await waitForHead(checkpointAt(0n, 1n, 2n, 3n), { headPosition }, "facts", stalledMs);
});

test("outlasts an event store that fails for less than 15 s, as at a change of leader", async () => {
  const outcomeAfter = async (failures: number): Promise<string> => {
    const fail = async () => {
      clockMs += 5_000;
      if (failures-- > 0) throw new Error("no leader");
      return headPosition();
    };
    return waitForHead(checkpointAt(3n), { headPosition: fail }, "facts", stalledMs).then(() => "passed", String);
  };
  assert.equal([await outcomeAfter(2), await outcomeAfter(3)], ["passed", "Error: no leader"]);
});

for (const [held, reason] of [
  [false, "No server runs it: start one, which applies the rest."],
  [
    true,
    "The log of the server that runs it has the reason; if one event stops it, `touchledger projection skip` skips that.",
  ],
] as const) {
  test(`ends when the checkpoint has not advanced for a while, ${held ? "with" : "without"} a server`, async () => {
    const db = checkpointAt(0n, 1n);
    const { raw } = db;
    const withLeader = (sql: string) => (sql.includes("pg_stat_activity") ? { rows: [{ held }] } : raw(sql));
    const stuck = waitForHead({ raw: withLeader } as unknown as Knex, { headPosition }, "facts", stalledMs);
    const failure = await stuck.then(String, String);
    assert.is(failure, `RebuildRefused: Group facts is at position 1, the log's head is 3. ${reason}`);
    assert.is(clockMs, 40_000);
  });
}

test.run();
