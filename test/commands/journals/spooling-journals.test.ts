import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startSpoolDrainer } from "../../../commands/journals/spool-drainer.ts";
import { createSpoolingJournals, type SpoolingOptions } from "../../../commands/journals/spooling-journals.ts";
import { noteUnanswered } from "../../../commands/journals/unanswered-appends.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { type StreamName, touchpointJournal } from "../../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
} from "../../../infra/event-log/event-log.ts";
import { openSpool, type Spool, SpoolFull } from "../../../infra/spool/spool.ts";
import { all, idsOf, metadata, temporaryDirectory } from "../../infra/event-log/event-log-client.ts";
import { capturedTimeouts } from "../../support/captured-timeouts.ts";
import { startTestLog } from "../../support/event-store.ts";

const store = await startTestLog();
const { log } = store;
const directories: ReturnType<typeof temporaryDirectory>[] = [];
const ignore = (): void => {};
/** Longer than a busy machine takes for an append, in milliseconds. */
const patient = 1_000;

const click = (): EventToAppend => ({ id: uuidv7(), type: "ClickRecorded", data: {}, metadata });
let lastApp = 0;

interface GivenOptions extends Partial<Omit<SpoolingOptions, "maxWaitMs">> {
  readonly maxWaitMs?: number | "usual";
  readonly limitBytes?: number;
  /** Maximum events of one append to the log. */
  readonly maxAppended?: number;
}

/** A journal over a spool of its own, and a log that can be frozen: appends then wait, unanswered, until it thaws. */
function given({ maxWaitMs = patient, ...options }: GivenOptions = {}) {
  lastApp += 1;
  const appId = lastApp;
  const directory = temporaryDirectory();
  directories.push(directory);
  const spool = openSpool({
    directory: `${directory.path}/spool`,
    limitBytes: options.limitBytes ?? 1e6,
    logId: "log",
  });
  const world = { frozen: false, appends: 0, mostInFlight: 0, alarms: 0, drained: 0 };
  let inFlight = 0;
  let thaw: () => void = ignore;
  let thawed = Promise.resolve();
  const freezing: EventLog = {
    ...log,
    async append(...call) {
      world.appends += 1;
      inFlight += 1;
      world.mostInFlight = Math.max(world.mostInFlight, inFlight);
      if (world.frozen) await thawed;
      if (call[2].length > (options.maxAppended ?? call[2].length)) throw new AppendTooLarge("too large");
      return log.append(...call).finally(() => {
        inFlight -= 1;
      });
    },
  };
  const onAlarm = (): void => {
    world.alarms += 1;
  };
  const waiting = maxWaitMs === "usual" ? {} : { maxWaitMs };
  const writing = { ...waiting, initialBackoffMs: 1, minSpoolIntervalMs: 1, onSpooled: ignore, onAlarm, ...options };
  const { log: noted, answered } = noteUnanswered(freezing);
  const journals = createSpoolingJournals(noted, spool, writing);
  return {
    world,
    spool,
    freeze() {
      world.frozen = true;
      thawed = new Promise((resolve) => {
        thaw = resolve;
      });
    },
    thaw() {
      world.frozen = false;
      thaw();
    },
    append: (event: EventToAppend) => journals.append({ category: "touchpoints", appId }, event),
    /** Drains all that waits. */
    drain: () => drainAll(freezing, spool, world, onAlarm, answered),
    recorded: async () => (await all(log.readAll("start", 1_000_000))).filter(isOf(appId)),
    streamOf: (writer: string) => touchpointJournal(appId, writer),
  };
}

const isOf =
  (appId: number) =>
  ({ stream }: RecordedEvent): boolean =>
    stream.startsWith(`touchpoints-${appId}_`);

async function drainAll(
  over: EventLog,
  spool: Spool,
  world: { drained: number },
  onAlarm: () => void,
  answered: (stream: StreamName) => Promise<void>,
): Promise<void> {
  const onDrained = (events: number): void => {
    world.drained += events;
  };
  const drainer = startSpoolDrainer(over, spool, {
    onDrained,
    onAlarm,
    onTrouble: ignore,
    answered,
    initialBackoffMs: 1,
  });
  await drainer.stop(new AbortController().signal);
}

const spooling = suite("a journal while the log does not respond");

spooling("does not use the spool while the log responds", async () => {
  const { append, spool, recorded } = given();
  const event = click();
  const { position } = await append(event);
  assert.equal([position, spool.depth().batches], [(await recorded())[0]?.position, 0]);
});

spooling("acknowledges the batch in flight and later ones from the spool, with their revisions", async () => {
  const { freeze, append, spool, streamOf } = given({ newWriter: () => "w" });
  const [before, inFlight, ...later] = [click(), click(), click(), click()];
  await append(before);
  freeze();
  assert.equal(await append(inFlight), { position: null });
  for (const event of later) assert.equal(await append(event), { position: null });
  assert.equal(
    spool.oldest(streamOf("w")).map(({ expected, events }) => [expected, idsOf(events)]),
    [
      [0n, [inFlight.id]],
      [1n, [later[0]?.id]],
      [2n, [later[1]?.id]],
    ],
  );
});

spooling("appends everything once and in order to the same stream after the log is back", async () => {
  const { world, freeze, thaw, append, drain, spool, recorded } = given();
  const events = Array.from({ length: 6 }, click);
  await append(events[0] ?? click());
  freeze();
  for (const event of events.slice(1, 5)) await append(event);
  thaw();
  await drain();
  const { position } = await append(events[5] ?? click());
  const found = await recorded();
  assert.equal(idsOf(found), idsOf(events));
  assert.equal(new Set(found.map(({ stream }) => stream)).size, 1);
  assert.equal([position, world.drained, world.alarms], [found.at(-1)?.position, 4, 0]);
  assert.ok(spool.isEmpty());
});

spooling("is not repeated from the spool while its append is in flight", async () => {
  const { world, freeze, thaw, append, drain, recorded } = given({ maxWaitMs: 50 });
  freeze();
  const event = click();
  await append(event);
  const draining = drain();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  thaw();
  await draining;
  assert.equal([world.appends, world.mostInFlight, idsOf(await recorded())], [2, 1, [event.id]]);
});

spooling("halves a batch that is too large for the log, without spooling it", async () => {
  const { append, spool, recorded } = given({ maxAppended: 2 });
  const events = Array.from({ length: 5 }, click);
  const places = await Promise.all(events.map(append));
  const found = await recorded();
  assert.equal(idsOf(found), idsOf(events));
  assert.equal(
    [places.every(({ position }) => position !== null), new Set(found.map(({ stream }) => stream)).size],
    [true, 1],
  );
  assert.ok(spool.isEmpty());
});

spooling("counts the time that an event waits behind others", async () => {
  const { freeze, thaw, append, recorded, drain, spool } = given();
  const [first, behind] = [click(), click()];
  freeze();
  const isAppended = append(first);
  const isSpooled = append(behind);
  // Three quarters of its longest wait later the log takes the first, and nothing more.
  await pause(patient * 0.75);
  thaw();
  freeze();
  assert.is.not((await isAppended).position, null);
  const outcome = await Promise.race([isSpooled, pause(patient * 0.75, "still waiting")]);
  assert.equal([outcome, spool.depth().events], [{ position: null }, 1]);
  thaw();
  await drain();
  assert.equal(idsOf(await recorded()), [first.id, behind.id]);
});

spooling("does not append events that have waited too long", async () => {
  const { world, append, recorded, drain } = given({ maxWaitMs: 0 });
  assert.equal([await append(click()), world.appends], [{ position: null }, 0]);
  await drain();
  assert.equal([(await recorded()).length, world.appends], [1, 1]);
});

spooling("waits for a quarter of a second", async () => {
  const { freeze, append } = given({ maxWaitMs: "usual" });
  freeze();
  const [appended, [wait = 0, ...others]] = capturedTimeouts(() => append(click()));
  // The event has waited for a moment already.
  assert.ok(wait > 200 && wait <= 250 && others.length === 0, `${wait} ms`);
  assert.equal(await appended, { position: null });
});

spooling("drains twice as once", async () => {
  const { freeze, thaw, append, drain, spool, recorded } = given();
  const events = [click(), click(), click()];
  freeze();
  for (const event of events) await append(event);
  thaw();
  const kept = spool.streams().flatMap(spool.oldest);
  await drain();
  for (const batch of kept) await spool.write(batch);
  await drain();
  assert.equal(idsOf(await recorded()), idsOf(events));
});

spooling("does not try the log for each batch while others fill the spool", async () => {
  const { world, freeze, thaw, append, drain, spool } = given({ limitBytes: 700, maxWaitMs: 20 });
  freeze();
  await append(click());
  thaw();
  await drain();
  const other = () => spool.write({ stream: touchpointJournal(0, "other"), expected: "no_stream", events: [click()] });
  while (
    await other().then(
      () => true,
      () => false,
    )
  );
  const before = world.appends;
  freeze();
  const failures = [];
  for (let count = 0; count < 3; count += 1) failures.push(await append(click()).catch(({ name }: Error) => name));
  assert.equal([failures, world.appends - before], [["SpoolFull", "SpoolFull", "SpoolFull"], 1]);
  thaw();
});

spooling("writes to a new stream after a rejected batch that may still arrive, without an alarm", async () => {
  const { world, freeze, thaw, append, recorded } = given({ limitBytes: 0 });
  const [rejected, next] = [click(), click()];
  freeze();
  assert.instance(await append(rejected).catch((error: unknown) => error), SpoolFull);
  thaw();
  while ((await recorded()).length === 0);
  await append(next);
  const found = await recorded();
  assert.equal([idsOf(found), world.alarms], [[rejected.id, next.id], 0]);
  assert.is(new Set(found.map(({ stream }) => stream)).size, 2);
});

spooling("rejects batches that do not fit into the spool", async () => {
  const { freeze, thaw, append, drain, recorded, spool } = given({ limitBytes: 700 });
  freeze();
  const outcomes = [];
  for (let count = 0; count < 4; count += 1) outcomes.push(await append(click()).catch((error: unknown) => error));
  const taken = outcomes.filter((outcome) => !(outcome instanceof Error)).length;
  assert.ok(taken > 0 && taken < 4 && outcomes.slice(taken).every((outcome) => outcome instanceof SpoolFull));
  thaw();
  await drain();
  assert.ok(spool.isEmpty());
  assert.equal((await append(click())).position === null, false);
  assert.is((await recorded()).length, taken + 1);
});

spooling("raises an alarm over a foreign event in its stream, and switches to a new stream", async () => {
  const { world, freeze, thaw, append, drain, recorded, streamOf } = given({ newWriter: () => "w" });
  const [before, stranger, ...events] = [click(), click(), click(), click(), click()];
  await append(before);
  freeze();
  for (const event of events.slice(0, 2)) await append(event);
  await log.append(streamOf("w"), 0n, [stranger]);
  thaw();
  await drain();
  const found = await recorded();
  assert.is(world.alarms, 1);
  assert.equal(idsOf(found), idsOf([before, stranger, ...events.slice(0, 2)]));
  assert.is(new Set(found.map(({ stream }) => stream)).size, 2);
});

spooling("reports the first of consecutive failures of the log, and the first after a success", async () => {
  const { spool, streamOf } = given();
  // The append of a page, and of its only batch, twice; after a success, once more.
  const failing = new Set([1, 2, 3, 4, 6, 7]);
  let attempts = 0;
  const flaky: EventLog = {
    ...log,
    append: async (...call) => {
      attempts += 1;
      if (failing.has(attempts)) throw new EventLogUnavailable(`attempt ${attempts}`);
      return log.append(...call);
    },
  };
  const troubles: string[] = [];
  let onDrained = ignore;
  const drainer = startSpoolDrainer(flaky, spool, {
    onDrained: (events) => events > 0 && onDrained(),
    onAlarm: ignore,
    onTrouble: (failure) => troubles.push(String(failure)),
    answered: async () => {},
    initialBackoffMs: 1,
  });
  for (const expected of ["no_stream", 0n] as const) {
    const drained = new Promise<void>((resolve) => {
      onDrained = resolve;
    });
    await spool.write({ stream: streamOf("w"), expected, events: [click()] });
    drainer.wake();
    await drained;
  }
  await drainer.stop(AbortSignal.abort());
  assert.equal(troubles, ["EventLogUnavailable: attempt 2", "EventLogUnavailable: attempt 7"]);
});

spooling("leaves the rest in the spool when stopping takes too long", async () => {
  const { freeze, append, spool } = given();
  freeze();
  for (const event of [click(), click()]) await append(event);
  const dead = { ...log, append: () => Promise.reject(new EventLogUnavailable("gone")) };
  const troubles: unknown[] = [];
  const drainer = startSpoolDrainer(dead, spool, {
    onDrained: ignore,
    onAlarm: ignore,
    onTrouble: (failure) => troubles.push(failure),
    answered: async () => {},
  });
  await drainer.stop(new AbortController().signal);
  assert.equal([troubles.length, spool.depth().events], [1, 2]);
});

spooling.after(async () => {
  await store.close();
  for (const directory of directories) await directory.remove();
});
spooling.run();
