import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../domain/event.ts";
import { createEngineTables } from "../../projections/engine/engine-tables.ts";
import { applyBatch } from "../../projections/engine/runner/apply-batch.ts";
import { startGroup } from "../../projections/engine/runner/run-group.ts";
import { createReadModels, ReadModelNotReady } from "../../projections/read-models.ts";
import { recordedAt } from "../examples/recorded-log.ts";
import { payment, payments } from "./engine/ledger.ts";
import { openTestDatabase } from "./engine/stores.ts";

const test = suite("read models on an empty database");
const database = await openTestDatabase();
test.after(() => database.destroy());

const place = (commit: bigint) => ({ commit, prepare: commit });

/** Starts the group of the payments on a log with this head. */
function start(head: bigint | null, epoch: bigint) {
  const log = {
    eventAt: async ({ commit }: LogPosition) => recordedAt(commit, payment(1)),
    headPosition: async () => (head === null ? null : place(head)),
  };
  return startGroup({ db: database, log, logId: "log", group: "facts", projections: [payments], epoch, graceMs: 0 });
}

/** Whether they can be read, by a process that has just started. */
async function isReadable(): Promise<boolean> {
  try {
    await createReadModels(database, [payments]).live("payments");
    return true;
  } catch (failure) {
    assert.instance(failure, ReadModelNotReady);
    return false;
  }
}

async function apply(epoch: bigint, from: bigint | null, to: bigint): Promise<void> {
  const writer = { group: "facts", projections: [payments], epoch, clock: null } as const;
  await applyBatch(database, writer, from === null ? null : place(from), [recordedAt(to, payment(1))]);
}

test.before.each(async () => {
  await database.raw("drop schema if exists touchledger cascade");
  for (const build of [1, 2]) await database.raw(`drop schema if exists payments_v1_${build} cascade`);
  await createEngineTables(database);
});

test("are read once they have what the log had at the beginning, and from then on", async () => {
  await start(100n, 1n);
  assert.is(await isReadable(), false);
  await apply(1n, null, 99n);
  assert.is(await isReadable(), false);
  await start(300n, 2n);
  assert.is(await isReadable(), false, "the next runner does not begin anew");
  await apply(2n, 99n, 100n);
  assert.is(await isReadable(), true);
  await start(500n, 3n);
  assert.is(await isReadable(), true, "a runner that is behind");
});

test("are read at once on an empty log", async () => {
  await start(null, 1n);
  assert.is(await isReadable(), true);
});

test.run();
