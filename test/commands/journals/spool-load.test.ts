// time limit: 60 s
import { setTimeout as pause } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startSpoolDrainer } from "../../../commands/journals/spool-drainer.ts";
import { createSpoolingJournals } from "../../../commands/journals/spooling-journals.ts";
import type { StreamName } from "../../../domain/streams.ts";
import { AppendTooLarge, type EventLog, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { openSpool, type Spool } from "../../../infra/spool/spool.ts";
import { all, idsOf, metadata, someEvents, temporaryDirectory } from "../../infra/event-log/event-log-client.ts";
import { startTestLog } from "../../support/event-store.ts";

const store = await startTestLog();
const { log } = store;
const directory = temporaryDirectory();
const ignore = (): void => {};
const quiet = { onDrained: ignore, onAlarm: ignore, onTrouble: ignore, answered: async () => {}, initialBackoffMs: 1 };
let spools = 0;

function newSpool(): Spool {
  spools += 1;
  return openSpool({ directory: `${directory.path}/${spools}`, limitBytes: 1e7, logId: "log" });
}

const load = suite("a spool under load");
load.after(async () => {
  await store.close();
  await directory.remove();
});

load("is drained by a log that responds after 50 ms, while visits continue", async () => {
  const spool = newSpool();
  const world = { isDown: true };
  const slow: EventLog = {
    ...log,
    append: async (...call) => {
      if (world.isDown) throw new EventLogUnavailable("the log is down");
      await pause(50);
      return log.append(...call);
    },
  };
  const drainer = startSpoolDrainer(slow, spool, quiet);
  const journals = createSpoolingJournals(slow, spool, { onSpooled: drainer.wake, onAlarm: ignore, maxWaitMs: 250 });
  const acknowledged: string[] = [];
  let appendedByLog = 0;
  const visits: Promise<void>[] = [];
  while (appendedByLog < 100) {
    const event = { id: uuidv7(), type: "ClickRecorded", data: {}, metadata };
    visits.push(
      journals.append({ category: "touchpoints", appId: 1 }, event).then(({ position }) => {
        acknowledged.push(event.id);
        if (position !== null) appendedByLog += 1;
      }),
    );
    if (spool.depth().batches >= 20) world.isDown = false;
    await pause(5);
  }
  await Promise.all(visits);
  await drainer.stop(new AbortController().signal);
  assert.is(spool.isEmpty(), true);
  const stored = idsOf(await all(log.readAll("start", Number.MAX_SAFE_INTEGER))).filter((id) =>
    acknowledged.includes(id),
  );
  assert.equal(stored.sort(), acknowledged.sort());
  await spool.close();
});

/** The log, and how many events each append had. */
function countingAppends(): { readonly sizes: readonly number[]; readonly counting: EventLog } {
  const sizes: number[] = [];
  const counting: EventLog = {
    ...log,
    append: (name, expected, appended) => {
      sizes.push(appended.length);
      return log.append(name, expected, appended);
    },
  };
  return { sizes, counting };
}

/** Spools batches of three events for one stream. */
async function spooled(spool: Spool, stream: StreamName, batches: number, text = "") {
  const events = someEvents(3 * batches).map((event) => (text === "" ? event : { ...event, data: { text } }));
  for (let batch = 0; batch < batches; batch += 1) {
    const expected = batch === 0 ? "no_stream" : BigInt(3 * batch - 1);
    await spool.write({ stream, expected, events: events.slice(3 * batch, 3 * batch + 3) });
  }
  return events;
}

for (const [batches, length, expected] of [
  [166, 0, [498]],
  [167, 0, [498, 3]],
  [7, 100_000, [9, 9, 3]],
] as const) {
  load(`drains ${batches} batches of three events of ${length} bytes in appends of 500 events or 900 KiB`, async () => {
    const spool = newSpool();
    const stream = `touchpoints-2_${uuidv7()}` as StreamName;
    const events = await spooled(spool, stream, batches, "x".repeat(length));
    const { sizes, counting } = countingAppends();
    await startSpoolDrainer(counting, spool, quiet).stop(new AbortController().signal);
    assert.equal(sizes, expected);
    assert.equal(idsOf(await all(log.read(stream))), idsOf(events));
    await spool.close();
  });
}

for (const [inLog, what] of [
  [12, "the first batches of a page"],
  [13, "a part of a batch of a page"],
] as const) {
  load(`writes no event twice when the log has ${what} already, and the others at once`, async () => {
    const spool = newSpool();
    const stream = `touchpoints-2_${uuidv7()}` as StreamName;
    const events = await spooled(spool, stream, 10);
    await log.append(stream, "no_stream", events.slice(0, inLog));
    const { sizes, counting } = countingAppends();
    await startSpoolDrainer(counting, spool, quiet).stop(new AbortController().signal);
    assert.is(spool.isEmpty(), true);
    assert.equal(sizes, [30, 30 - inLog]);
    assert.equal(idsOf(await all(log.read(stream))), idsOf(events));
    await spool.close();
  });
}

load("moves what follows another writer's event, and nothing that is in the log", async () => {
  const spool = newSpool();
  const stream = `touchpoints-2_${uuidv7()}` as StreamName;
  const events = await spooled(spool, stream, 4);
  await log.append(stream, "no_stream", [...events.slice(0, 6), ...someEvents(1)]);
  const alarms: StreamName[] = [];
  const start = (await log.headPosition()) ?? "start";
  const drainer = startSpoolDrainer(log, spool, { ...quiet, onAlarm: (about) => alarms.push(about) });
  await drainer.stop(new AbortController().signal);
  assert.equal(alarms, [stream]);
  assert.equal(idsOf(await all(log.readAll(start, 10_000))), idsOf(events.slice(6)));
  await spool.close();
});

load("is drained stream by stream while one of them fills up as fast as it is drained", async () => {
  const spool = newSpool();
  const [busy, other] = [1, 2].map((app) => `touchpoints-${app}_${uuidv7()}` as StreamName) as [StreamName, StreamName];
  const more = someEvents(100);
  let written = 0;
  const fill = async (): Promise<void> => {
    const events = more.slice(written, written + 1);
    const expected = written === 0 ? "no_stream" : BigInt(written - 1);
    written += 1;
    await spool.write({ stream: busy, expected, events });
  };
  await fill();
  let fillsUntilOther = 0;
  const filling: EventLog = {
    ...log,
    append: async (name, ...call) => {
      if (name === other) fillsUntilOther = written;
      if (name === busy && written === 2) await spooled(spool, other, 1);
      if (name === busy && fillsUntilOther === 0 && written < more.length) await fill();
      return log.append(name, ...call);
    },
  };
  await startSpoolDrainer(filling, spool, quiet).stop(new AbortController().signal);
  assert.is(spool.isEmpty(), true);
  assert.ok(fillsUntilOther < 5, `after ${fillsUntilOther} batches of the busy stream`);
  await spool.close();
});

load("leaves the rest of a page in the spool when a stop has to end", async () => {
  const spool = newSpool();
  const stream = `touchpoints-2_${uuidv7()}` as StreamName;
  const events = await spooled(spool, stream, 7, "x".repeat(100_000));
  const stop = new AbortController();
  const small: EventLog = {
    ...log,
    append: async (name, expected, appended) => {
      if (appended.length > 3) throw new AppendTooLarge("takes three events");
      const result = await log.append(name, expected, appended);
      if (result.outcome === "appended") stop.abort();
      return result;
    },
  };
  await startSpoolDrainer(small, spool, quiet).stop(stop.signal);
  assert.equal([(await all(log.read(stream))).length, spool.depth().batches], [9, 4]);
  await startSpoolDrainer(log, spool, quiet).stop(new AbortController().signal);
  assert.equal(idsOf(await all(log.read(stream))), idsOf(events));
  await spool.close();
});

load.run();
