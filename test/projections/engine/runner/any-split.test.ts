import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { readCheckpoint } from "../../../../projections/engine/checkpoints/checkpoint.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import { readGenerations } from "../../../../projections/engine/generations/generations.ts";
import { readParked } from "../../../../projections/engine/parking/parking.ts";
import { applyBatch } from "../../../../projections/engine/runner/apply-batch.ts";
import { startGroup } from "../../../../projections/engine/runner/run-group.ts";
import { recordedAt } from "../../../examples/recorded-log.ts";
import { assertSameRowsForAnySplit, rowsOf, split } from "../../split-property.ts";
import { balances, paid, payments } from "../ledger.ts";
import { openTestDatabase } from "../stores.ts";

const test = suite("any split of the log into batches");

const projections = [payments, balances];
const database = await openTestDatabase();
test.after(() => database.destroy());

const log = { eventAt: async () => null, headPosition: async () => null };

/** Twelve payments in, every fifth is too much. */
const history: readonly RecordedEvent[] = paid(60, 5).map(({ stream, event }, index) => ({
  ...recordedAt(BigInt(100 + index), event),
  stream,
}));

async function committedAfter(batches: readonly (readonly RecordedEvent[])[]) {
  await database.raw("drop schema if exists touchledger cascade");
  await createEngineTables(database);
  const writer = { group: "facts", projections, epoch: 1n, clock: null } as const;
  const { checkpoint } = await startGroup({ ...writer, db: database, log, logId: "log", graceMs: 0 });
  let position = checkpoint.position;
  for (const batch of batches.filter(({ length }) => length > 0)) {
    await applyBatch(database, writer, position, batch);
    position = batch.at(-1)?.position ?? position;
  }
  const [first, second] = await readGenerations(database);
  const committed = {
    checkpoint: await readCheckpoint(database, "facts"),
    balances: await rowsOf(database, balances, first?.schema ?? ""),
    payments: await rowsOf(database, payments, second?.schema ?? ""),
    parked: (await readParked(database)).map(({ projection, position, stream }) => [projection, position, stream]),
  };
  for (const generation of [first, second]) await database.raw(`drop schema ${generation?.schema} cascade`);
  return committed;
}

test("leaves the same rows, the same parked events and the same checkpoint", async () => {
  const whole = await committedAfter([history]);
  assert.is(whole.checkpoint?.events, 60n);
  assert.is(whole.payments.payments?.length, 48);
  // The first payment that is too much holds back its whole account.
  assert.equal(whole.parked.filter(([projection]) => projection === "payments").length, 12);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: history.length }), { maxLength: 10 }), async (places) => {
      assert.equal(await committedAfter(split(history, places)), whole);
    }),
    { numRuns: 15 },
  );
});

test("is what every projection of the engine's tests promises", async () => {
  const good = history.filter((_, index) => (index + 1) % 5 !== 0);
  for (const projection of projections) await assertSameRowsForAnySplit(database, projection, good, 10);
});

test.run();
