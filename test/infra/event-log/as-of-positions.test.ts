import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent, RecordedOfType } from "../../../domain/event-catalogue.ts";
import { logClaimsStream } from "../../../domain/streams.ts";
import { createAsOfResolver, createPositionAsOf, createPositionOf } from "../../../infra/event-log/as-of-positions.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { passedPosition } from "../../../projections/engine/checkpoints/checkpoint.ts";
import { createLogClock, logClockReader } from "../../../projections/engine/checkpoints/log-clock.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { recordedAt } from "../../examples/recorded-log.ts";
import { openTestDatabase } from "../../projections/engine/stores.ts";

const noon = Date.parse("2026-03-31T12:00:00.000Z");
const after = (ms: number): Date => new Date(noon + ms);
const event = (position: bigint, revision: bigint, ms: number): RecordedEvent => ({
  ...recordedAt(position, { type: "LogOpened", data: { logId: "log" } }),
  stream: "app-1",
  revision,
  recordedAt: after(ms),
});
const reads: unknown[] = [];

/** A log in memory, which notes what is read of it. */
function logOf(events: readonly RecordedEvent[]): Pick<EventLog, "headPosition" | "eventAt" | "readAll" | "read"> {
  return {
    headPosition: async () => events.at(-1)?.position ?? null,
    eventAt: async ({ commit }: LogPosition) => events.find(({ position }) => position.commit === commit) ?? null,
    readAll: async function* (from: LogPosition | "start") {
      reads.push(from === "start" ? from : from.commit);
      yield* events.filter(({ position }) => from === "start" || position.commit > from.commit);
    },
    read: async function* (stream, from = 0n) {
      reads.push(`${stream} ${from}`);
      yield* events.filter((recorded) => recorded.stream === stream && recorded.revision >= from) as never[];
    },
  };
}

const db = await openTestDatabase();
const clock = logClockReader(db);
const events = [event(100n, 0n, 0), event(200n, 1n, 400), event(300n, 2n, 1_000), event(400n, 3n, 1_001)];
const log = logOf(events);
const resolveAsOf = createAsOfResolver({ clock, log });

const moments = suite("the moment of a report with asOf");
moments.before(() => createEngineTables(db));
moments.before.each(() => {
  reads.length = 0;
});

const at = (index: number, instant: Date) => {
  const { stream, revision, position } = events[index] as RecordedEvent;
  return { outcome: "at", event: { stream, revision: Number(revision) }, position: position.commit, instant };
};
const momentsByPosition = [
  ["99", { outcome: "before_log" }],
  ["100", at(0, after(0))],
  ["101", at(0, after(0))],
  ["299", at(1, after(400))],
  ["300", at(2, after(1_000))],
  ["400", at(3, after(1_001))],
  ["401", { outcome: "ahead" }],
] as const;
const momentsByInstant = [
  [after(-1), { outcome: "before_log" }],
  [after(0), at(0, after(0))],
  [after(999), at(1, after(999))],
  [after(1_000), at(2, after(1_000))],
  [after(5_000), at(3, after(5_000))],
  [new Date(Date.now() + 60_000), { outcome: "ahead" }],
] as const;

const assertExact = async (): Promise<void> => {
  for (const [position, moment] of momentsByPosition) assert.equal(await resolveAsOf(position), moment, position);
  for (const [instant, moment] of momentsByInstant) assert.equal(await resolveAsOf(instant.toISOString()), moment);
};

moments("is the last event at or before a position or an instant, with the time", assertExact);

moments("is the instant of the request of a report, even one as of an earlier moment", async () => {
  const requestedAs = async (data: object) => {
    const request = { ...event(100n, 0n, 0), type: "ReportRequested", data } as RecordedOfType<"ReportRequested">;
    const only = {
      ...log,
      eventAt: async () => request,
      readAll: async function* () {
        yield request;
      },
    };
    const moment = await createAsOfResolver({ clock, log: only })("100");
    return moment.outcome === "at" ? moment.instant : moment;
  };
  const requestedAt = after(-3).toISOString();
  assert.equal(await requestedAs({ requestedAt }), after(-3));
  assert.equal(await requestedAs({ requestedAt, now: after(-9_000).toISOString() }), after(-3));
});

moments("is not looked for when an event is at the position", async () => {
  assert.equal(await resolveAsOf("300"), at(2, after(1_000)));
  assert.equal(reads, []);
});

moments("is found from where the log's clock last ticked", async () => {
  const written = createLogClock();
  await db.transaction((trx) => written.tick(trx, events.slice(0, 2)));
  await resolveAsOf("399");
  assert.equal(reads, [200n]);
  await assertExact();
});

moments("is of no claim, which a copy of the log does not have", async () => {
  const claim = (position: bigint, ms: number): RecordedEvent => ({
    ...recordedAt(position, { type: "LogClaimed", data: { databaseId: "database" } }),
    ...{ stream: logClaimsStream, recordedAt: after(ms) },
  });
  const claimed = [...events.slice(0, 3), claim(310n, 1_000), claim(320n, 1_000), events[3] as RecordedEvent];
  const resolve = createAsOfResolver({ clock, log: logOf(claimed) });
  const assertLast = async (instant: Date): Promise<void> => {
    for (const position of ["310", "320", "399"]) assert.equal(await resolve(position), at(2, after(1_000)), position);
    assert.equal(await resolve(instant.toISOString()), at(2, instant));
    assert.equal(await resolve("400"), at(3, after(1_001)));
  };
  await assertLast(after(1_000));
  const { rows } = await db.raw("select position, recorded_at from touchledger.log_clock");
  await db("touchledger.log_clock").insert(
    claimed.slice(3, 5).map(({ position, recordedAt }) => ({ position: position.commit, recorded_at: recordedAt })),
  );
  await assertLast(after(1_000));
  await db.raw("delete from touchledger.log_clock");
  await db("touchledger.log_clock").insert(rows);
  const onlyClaims = createAsOfResolver({ clock, log: logOf([claim(100n, 0)]) });
  assert.equal(await onlyClaims("100"), { outcome: "before_log" });
});

moments("is that of the log when the clock has other times", async () => {
  const { rows } = await db.raw("select position, recorded_at from touchledger.log_clock");
  assert.is(rows.length, 1);
  for (const change of ["recorded_at = recorded_at - interval '1 s'", "position = 400", "position = 250"]) {
    await db.raw(`update touchledger.log_clock set ${change}`);
    for (const [instant, moment] of momentsByInstant)
      assert.equal(await resolveAsOf(instant.toISOString()), moment, change);
    await db.raw("delete from touchledger.log_clock");
    await db("touchledger.log_clock").insert(rows);
  }
});

moments("has the position of an event by stream and revision, read once", async () => {
  const positionOf = createPositionOf(log);
  const places = [2, 0].map((revision) => positionOf({ stream: "app-1", revision }));
  assert.equal([await places[0], await places[1]], [300n, 100n]);
  reads.length = 0;
  assert.is(await positionOf({ stream: "app-1", revision: 2 }), 300n);
  assert.equal(reads, []);
  assert.is(await positionOf({ stream: "app-1", revision: 4 }), null);
});

moments("that takes longer to find than a caller waits is behind", async () => {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  const slow = {
    ...log,
    readAll: async function* () {
      for (const each of events) {
        passedMs += 1_000;
        yield each;
      }
    },
  };
  const unknown = { positionAt: async () => null, lastTickUpTo: async () => null };
  const resolve = createAsOfResolver({ clock: unknown, log: slow });
  performance.now = () => now() + passedMs;
  try {
    for (const moment of ["399", after(1_000).toISOString()])
      assert.equal(await resolve(moment), { outcome: "behind" });
  } finally {
    performance.now = now;
  }
});

/** The clock of the event store goes back once. */
const inDisorder = [0, 400, 300, 999, 1_000, 800].map((ms, index) =>
  event(BigInt(100 * (index + 1)), BigInt(index), ms),
);
let factsAt = 600n;
const waits: unknown[] = [];
const positionAsOf = createPositionAsOf({
  clock,
  log: logOf(inDisorder),
  passedPosition: () => passedPosition(db, "facts"),
  waitForPosition: async (position, timeoutMs) => {
    waits.push([position, timeoutMs]);
    return position <= factsAt;
  },
});
const asOf = (ms: number) => positionAsOf(after(ms).toISOString());

const positions = suite("the position of a query with asOf");
positions.before(() => db.raw("delete from touchledger.log_clock"));
positions.before.each(() => {
  factsAt = 600n;
  waits.length = 0;
});
positions.after(() => db.destroy());

positions("is one that is named, once the facts have passed it, waited for 2 s", async () => {
  assert.equal(await positionAsOf("250"), { outcome: "at", position: 250n });
  assert.equal(waits, [[250n, 2_000]]);
  factsAt = 249n;
  assert.equal(await positionAsOf("250"), { outcome: "behind" });
});

positions("is never ahead of the log", async () => {
  assert.equal(await positionAsOf("600"), { outcome: "at", position: 600n });
  assert.equal(await positionAsOf("601"), { outcome: "ahead" });
  assert.equal(await positionAsOf(new Date(Date.now() + 60_000).toISOString()), { outcome: "ahead" });
});

positions("of an instant is found in the log from where its clock last ticked", async () => {
  const cases = [-1, 0, 299, 400, 998, 999, 1_000];
  const expected = [0n, 100n, 100n, 300n, 300n, 400n, 600n].map((position) => ({ outcome: "at", position }));
  assert.equal(await Promise.all(cases.map(asOf)), expected);
  const written = createLogClock();
  await db.transaction((trx) => written.tick(trx, inDisorder.slice(0, 2)));
  assert.equal(await Promise.all(cases.map(asOf)), expected);
  factsAt = 300n;
  assert.equal(await asOf(400), { outcome: "at", position: 300n });
  assert.equal(await asOf(999), { outcome: "behind" });
});

positions("without a position or instant is the position that the read models have passed", async () => {
  assert.equal(await positionAsOf(null), { outcome: "at", position: 0n });
  await db.raw(
    `insert into touchledger.checkpoints (group_name, commit_position, prepare_position, log_id, events, epoch, applies)
     values ('facts', 300, 300, 'log', 3, 1, '{}')`,
  );
  assert.equal(await positionAsOf(null), { outcome: "at", position: 300n });
  assert.equal(waits, []);
});

moments.run();
positions.run();
