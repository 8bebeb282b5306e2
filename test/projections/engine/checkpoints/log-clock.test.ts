import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { createLogClock, logClockReader } from "../../../../projections/engine/checkpoints/log-clock.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import { recordedAt } from "../../../examples/recorded-log.ts";
import { openTestDatabase } from "../stores.ts";

const test = suite("clock of the log");

const db = await openTestDatabase();
test.before(() => createEngineTables(db));
test.after(() => db.destroy());

const noon = Date.parse("2026-03-31T12:00:00.000Z");
const later = (ms: number) => new Date(noon + ms);
const event = (position: bigint, ms: number): RecordedEvent => ({
  ...recordedAt(position, { type: "LogOpened", data: { logId: "log" } }),
  recordedAt: later(ms),
});

const { positionAt } = logClockReader(db);

test("finds the last position up to which everything was recorded by an instant", async () => {
  const clock = createLogClock();
  const batches = [
    [event(1n, 0), event(2n, 5_000)],
    // The clock of the event store was set back: what is recorded "earlier" comes after.
    [event(3n, 2_000)],
    [event(4n, 5_400)],
    [event(5n, 9_000), event(6n, 8_000)],
  ];
  for (const batch of batches) await db.transaction((trx) => clock.tick(trx, batch));
  const instants = [-1, 4_999, 5_000, 8_999, 9_000, 1_000_000];
  assert.equal(await Promise.all(instants.map((ms) => positionAt(later(ms)))), [null, null, 2n, 2n, 6n, 6n]);
  // A runner that takes over does not know what was written, and the log's time does not go back.
  const next = createLogClock();
  await db.transaction((trx) => next.tick(trx, [event(7n, 7_000)]));
  assert.equal([await positionAt(later(8_999)), await positionAt(later(9_000))], [2n, 7n]);
});

test.run();
