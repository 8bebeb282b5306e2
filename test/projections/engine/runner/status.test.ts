import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../../domain/event.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import { createStatus } from "../../../../projections/engine/runner/status.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { payment } from "../ledger.ts";
import { openTestDatabase } from "../stores.ts";

const db = await openTestDatabase();
const lag = suite("the lag of a projection group in seconds");
const hourMs = 3_600_000;
const { now } = Date;
let clockMs = now();
lag.before(async () => {
  await createEngineTables(db);
  Date.now = () => clockMs;
});
lag.after(async () => {
  Date.now = now;
  await db.destroy();
});

const at = (commit: bigint): LogPosition => ({ commit, prepare: commit });
/** An event that was recorded an hour ago. */
const old = (commit: bigint): RecordedEvent => ({
  ...(recordedLog([payment(1)])[0] as RecordedEvent),
  position: at(commit),
  recordedAt: new Date(clockMs - hourMs),
});

/** What the group is said to lag by, once it has applied the log up to `place`. */
function lagOf() {
  const state = { head: 0n, pending: null as RecordedEvent | null };
  const status = createStatus(db, { headPosition: async () => at(state.head) }, ["facts"], {
    isRunning: () => true,
    oldestPending: () => state.pending,
    failing: () => null,
  });
  return async (head: bigint, place: bigint, pending: RecordedEvent | null = null): Promise<number> => {
    Object.assign(state, { head, pending });
    await db.raw(
      `insert into touchledger.checkpoints (group_name, commit_position, prepare_position, log_id, events, epoch, applies)
       values ('facts', :place, :place, 'log', 1, 1, '{}')
       on conflict (group_name) do update
       set commit_position = excluded.commit_position, prepare_position = excluded.prepare_position`,
      { place: String(place) },
    );
    return (await status()).groups[0]?.lagSeconds ?? Number.NaN;
  };
}

lag("is 0 at the head of the log, whatever was pending", async () => {
  assert.is(await lagOf()(10n, 10n, old(10n)), 0);
});

lag("is the age of the oldest event that is not applied", async () => {
  assert.is(await lagOf()(20n, 10n, old(11n)), 3_600);
});

lag("is not the age of an event that is applied: the log was idle before", async () => {
  assert.is(await lagOf()(20n, 10n, old(10n)), 0);
});

lag("does not grow with uptime while a group stays some positions behind a growing log", async () => {
  const lagSeconds = lagOf();
  for (let applied = 0n; applied < 100n; applied += 1n) {
    clockMs += 1_000;
    const seconds = await lagSeconds(applied + 11n, applied);
    assert.ok(seconds <= 11, `${seconds} at ${applied}`);
  }
});

lag("of a stuck group grows from the first later head on, though newer events are pending", async () => {
  const lagSeconds = lagOf();
  const found: number[] = [await lagSeconds(11n, 10n)];
  for (const head of [20n, 30n]) {
    clockMs += hourMs;
    found.push(await lagSeconds(head, 10n, { ...old(head), recordedAt: new Date(clockMs) }));
  }
  assert.equal(found, [0, 3_600, 7_200]);
});

lag.run();
