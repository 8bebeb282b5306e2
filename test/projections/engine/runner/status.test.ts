import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../../domain/event.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import { createStatus, type RunningGroups } from "../../../../projections/engine/runner/status.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { payment, payments } from "../ledger.ts";
import { openTestDatabase } from "../stores.ts";

const db = await openTestDatabase();
const running: RunningGroups = { isRunning: () => true, oldestPending: () => null, failing: () => null };

const unread = suite("the projections that a process cannot read");
unread.before(() => createEngineTables(db));
unread.after.each(() => db.raw("truncate touchledger.generations, touchledger.checkpoints cascade"));

/** Versions of a projection that a process of that version cannot read, among 1 and 2. */
async function unreadVersions(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const version of [1, 2]) {
    const status = createStatus(db, { headPosition: async () => at(20n) }, [{ ...payments, version }], running);
    const { unreadable } = await status();
    if (unreadable.length > 0) found.push(version);
  }
  return found;
}

const generation = (version: number, state: "building" | "live" | "retired") =>
  db("touchledger.generations").insert({
    ...{ schema_name: `payments_v${version}_1`, projection: "payments", version, build: 1, group_name: "facts", state },
  });

unread("are all of them before any generation is built", async () => {
  assert.equal(await unreadVersions(), [1, 2]);
});

unread("are those of another version than the live one, whether it is being built or its build fails", async () => {
  await generation(1, "live");
  assert.equal(await unreadVersions(), [2]);
  await db("touchledger.generations").update({ state: "retired" });
  assert.equal(await unreadVersions(), [2]);
  await generation(2, "building");
  assert.equal(await unreadVersions(), [2]);
});

unread("are none of a version that has been replaced, until its generation is dropped", async () => {
  await generation(1, "retired");
  await generation(2, "live");
  assert.equal(await unreadVersions(), []);
  await db("touchledger.generations").where({ state: "retired" }).delete();
  assert.equal(await unreadVersions(), [1]);
});

unread("are those of a group that has not passed what the log had when it began", async () => {
  await generation(1, "live");
  const checkpoint = { group_name: "facts", log_id: "log", commit_position: 9, prepare_position: 9, readable_from: 10 };
  await db("touchledger.checkpoints").insert(checkpoint);
  assert.equal(await unreadVersions(), [1, 2]);
  await db("touchledger.checkpoints").update({ commit_position: 10, prepare_position: 10 });
  assert.equal(await unreadVersions(), [2]);
});

const lag = suite("the lag of a projection group in seconds");
const hourMs = 3_600_000;
const { now } = Date;
let clockMs = now();
lag.before(() => {
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

/** What the group is said to lag by, once it has applied the log up to `position`. */
function lagOf() {
  const state = { head: 0n, pending: null as RecordedEvent | null };
  const status = createStatus(db, { headPosition: async () => at(state.head) }, [payments], {
    ...running,
    oldestPending: () => state.pending,
  });
  return async (head: bigint, position: bigint, pending: RecordedEvent | null = null): Promise<number> => {
    Object.assign(state, { head, pending });
    await db.raw(
      `insert into touchledger.checkpoints (group_name, commit_position, prepare_position, log_id, events, epoch, applies)
       values ('facts', :position, :position, 'log', 1, 1, '{}')
       on conflict (group_name) do update
       set commit_position = excluded.commit_position, prepare_position = excluded.prepare_position`,
      { position: String(position) },
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

unread.run();
lag.run();
