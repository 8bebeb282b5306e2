import { uuidv7 } from "uuidv7";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createJournals, type Journal, JournalFull } from "../../../commands/journals/journal.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import {
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
} from "../../../infra/event-log/event-log.ts";
import { all, idsOf, metadata } from "../../infra/event-log/event-log-client.ts";
import { startTestLog } from "../../support/event-store.ts";

const store = await startTestLog();
const { log } = store;
const happened = (text = ""): EventToAppend => ({ id: uuidv7(), type: "Happened", data: { text }, metadata });

let lastApp = 0;
function freshJournal(category: Journal["category"] = "appEvents"): Journal {
  lastApp += 1;
  return { category, appId: lastApp };
}

async function eventsOf({ category, appId }: Journal): Promise<readonly RecordedEvent[]> {
  const events = await all(log.readAll("start", 1_000_000));
  return events.filter(({ stream }) => stream.startsWith(`${category}-${appId}_`));
}

/** The log, with every append passed to `each` instead. */
function watched(
  each: (attempt: number, append: () => ReturnType<EventLog["append"]>) => ReturnType<EventLog["append"]>,
) {
  let attempts = 0;
  const append: EventLog["append"] = (...call) => {
    attempts += 1;
    return each(attempts, () => log.append(...call));
  };
  return { ...log, append };
}

/** The log, with the sizes of all appends. */
function countingLog(): { readonly sizes: number[]; readonly counting: EventLog } {
  const sizes: number[] = [];
  const append: EventLog["append"] = (...call) => {
    sizes.push(call[2].length);
    return log.append(...call);
  };
  return { sizes, counting: { ...log, append } };
}
const manyEvents = (count: number) => Array.from({ length: count }, () => happened());
const streamsOf = (events: readonly RecordedEvent[]) => [...new Set(events.map(({ stream }) => stream))];

const journals = suite("a writer journal");

journals("writes the facts of one app to one stream, in order, and resolves with the last position", async () => {
  const journal = freshJournal();
  const events = manyEvents(3);
  const { appendMany, append } = createJournals(log, { newWriter: () => "w1" });
  const first = await appendMany(journal, events.slice(0, 2));
  const second = await append(journal, events[2] ?? happened());
  const recorded = await eventsOf(journal);
  assert.equal(idsOf(recorded), idsOf(events));
  assert.equal(streamsOf(recorded), [`appEvents-${journal.appId}_w1`]);
  assert.equal([first.position, second.position], [recorded[1]?.position, recorded[2]?.position]);
});

journals("keeps apps and categories apart", async () => {
  const [one, other] = [freshJournal(), freshJournal()];
  const all = [one, other, { ...one, category: "touchpoints" } as const];
  const writing = createJournals(log);
  await Promise.all(all.map((journal) => writing.append(journal, happened())));
  assert.equal(writing.depth(), { journals: 3, events: 0, bytes: 0 });
  assert.equal(
    (await Promise.all(all.map(eventsOf))).map(({ length }) => length),
    [1, 1, 1],
  );
});

journals("makes a batch of all queued events when the last append returns, of at most 500", async () => {
  const { sizes, counting } = countingLog();
  const journal = freshJournal();
  const { append, appendMany } = createJournals(counting);
  await Promise.all([
    append(journal, happened()),
    append(journal, happened()),
    appendMany(journal, manyEvents(498)),
    append(journal, happened()),
    append(journal, happened()),
  ]);
  assert.equal(sizes, [1, 500, 1]);
});

journals("keeps a batch within its bytes", async () => {
  const { sizes, counting } = countingLog();
  const journal = freshJournal();
  const events = Array.from({ length: 5 }, () => happened("x".repeat(300 * 1024)));
  await createJournals(counting).appendMany(journal, events);
  assert.equal(sizes, [2, 2, 1]);
  assert.equal(idsOf(await eventsOf(journal)), idsOf(events));
});

journals("rejects only the call with an event that is too large", async () => {
  const journal = freshJournal();
  const { append, appendMany } = createJournals(log);
  const [small, large] = [happened(), happened("x".repeat(900 * 1024))];
  const [kept, refused] = await Promise.allSettled([append(journal, small), appendMany(journal, [happened(), large])]);
  assert.is(kept.status, "fulfilled");
  assert.ok(refused.status === "rejected" && refused.reason instanceof AppendTooLarge);
  assert.equal(idsOf(await eventsOf(journal)), [small.id]);
});

journals("halves a batch that is too large for the log, down to the oversized event", async () => {
  const journal = freshJournal();
  const events = Array.from({ length: 8 }, (_, index) => happened(index === 5 ? "large" : ""));
  const { sizes, counting } = countingLog();
  const picky: EventLog = {
    ...log,
    append: (stream, expected, batch) =>
      batch.some(({ data }) => (data as { text: string }).text === "large")
        ? Promise.reject(new AppendTooLarge("too large"))
        : counting.append(stream, expected, batch),
  };
  const { append, appendMany } = createJournals(picky);
  const outcomes = await Promise.allSettled(events.map((event) => append(journal, event)));
  assert.equal(
    outcomes.map(({ status }) => status === "fulfilled"),
    [true, true, true, true, true, false, true, true],
  );
  const later = manyEvents(8);
  await appendMany(journal, later);
  const recorded = await eventsOf(journal);
  assert.equal(idsOf(recorded), idsOf([...events.filter((_, index) => index !== 5), ...later]));
  assert.equal([streamsOf(recorded).length, sizes.at(-1)], [1, 8]);
});

journals("drops the rest of a call whose batch has failed, and writes the calls behind it", async () => {
  const journal = freshJournal();
  const failing = watched((attempt, append) => (attempt === 1 ? Promise.reject(new Error("refused")) : append()));
  const { append, appendMany, depth } = createJournals(failing, { maxBatchEvents: 1 });
  const behind = happened();
  const [failed, written] = await Promise.allSettled([appendMany(journal, manyEvents(3)), append(journal, behind)]);
  assert.equal([failed.status, written.status], ["rejected", "fulfilled"]);
  assert.equal(idsOf(await eventsOf(journal)), [behind.id]);
  assert.equal(depth(), { journals: 1, events: 0, bytes: 0 });
});

journals("limits the queued events", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = watched(async (_, append) => held.then(append));
  const journal = freshJournal();
  const { appendMany, append, drain, depth } = createJournals(slow, { maxWaitingEvents: 3 });
  const events = manyEvents(3);
  const taken = appendMany(journal, events);
  assert.instance(await append(journal, happened()).catch((error) => error), JournalFull);
  assert.is(depth().events, 3);
  release();
  await taken;
  await drain();
  await append(journal, happened());
  assert.equal(depth(), { journals: 1, events: 0, bytes: 0 });
});

journals("limits the queued bytes over all apps", async () => {
  const slow = watched(() => new Promise(() => {}));
  const event = () => happened("x".repeat(400));
  const measuring = createJournals(slow);
  measuring.append(freshJournal(), event()).catch(() => {});
  const { bytes } = measuring.depth();
  assert.ok(bytes > 400 && bytes < 1_000);
  const { append, depth } = createJournals(slow, { maxWaitingBytes: 2 * bytes });
  for (let count = 0; count < 2; count += 1) append(freshJournal(), event()).catch(() => {});
  assert.instance(await append(freshJournal(), happened()).catch((error) => error), JournalFull);
  assert.equal(depth(), { journals: 3, events: 2, bytes: 2 * bytes });
});

journals("retries a batch at the same revision while the log is unavailable", async () => {
  const journal = freshJournal();
  const flaky = watched(async (attempt, append) => {
    if (attempt === 2) throw new EventLogUnavailable("before");
    const appended = await append();
    if (attempt === 3) throw new EventLogUnavailable("after");
    return appended;
  });
  const { append } = createJournals(flaky, { initialBackoffMs: 1 });
  const events = manyEvents(3);
  for (const event of events) await append(journal, event);
  const recorded = await eventsOf(journal);
  assert.equal(idsOf(recorded), idsOf(events));
  assert.is(streamsOf(recorded).length, 1);
});

journals("switches to a new stream after giving up, so that a late success duplicates nothing", async () => {
  const journal = freshJournal();
  const late: (() => Promise<unknown>)[] = [];
  const silent = watched((attempt, append) => {
    if (attempt > 1) return append();
    late.push(append);
    return Promise.reject(new EventLogUnavailable("silent"));
  });
  const { append, drain } = createJournals(silent, { initialBackoffMs: 1, retryForMs: 0 });
  const [lost, kept] = [happened("lost"), happened("kept")];
  assert.instance(await append(journal, lost).catch((error) => error), EventLogUnavailable);
  await append(journal, kept);
  await drain();
  for (const append of late) await append();
  const recorded = await eventsOf(journal);
  assert.equal(idsOf(recorded), idsOf([kept, lost]));
  assert.is(streamsOf(recorded).length, 2);
});

journals("rejects the calls queued behind a batch that was given up", async () => {
  const journal = freshJournal();
  const silent = watched(() => Promise.reject(new EventLogUnavailable("silent")));
  const { append, depth } = createJournals(silent, { initialBackoffMs: 1, retryForMs: 20 });
  const outcomes = await Promise.allSettled(manyEvents(3).map((event) => append(journal, event)));
  assert.ok(
    outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason instanceof EventLogUnavailable),
  );
  assert.equal(depth(), { journals: 1, events: 0, bytes: 0 });
});

/** A log that reports a wrong revision for what it has just appended. */
function forgetful(): EventLog {
  return watched(async (_, append) => {
    const appended = await append();
    return appended.outcome === "appended"
      ? { outcome: "wrong_expected_revision", actual: appended.revision }
      : appended;
  });
}

journals("finds its own events when the log reports a wrong revision", async () => {
  const journal = freshJournal();
  const { append, appendMany } = createJournals(forgetful(), { initialBackoffMs: 1 });
  const events = manyEvents(3);
  const { position } = await appendMany(journal, events.slice(0, 2));
  await append(journal, events[2] ?? happened());
  const recorded = await eventsOf(journal);
  assert.equal(idsOf(recorded), idsOf(events));
  assert.equal([position, streamsOf(recorded).length], [recorded[1]?.position, 1]);
});

journals("waits for its own events when a replica does not have them yet", async () => {
  const journal = freshJournal();
  let isBehind = true;
  const lagging: EventLog = {
    ...forgetful(),
    read: (...call) => {
      if (!isBehind) return log.read(...call);
      isBehind = false;
      return (async function* () {})();
    },
  };
  const event = happened();
  await createJournals(lagging, { initialBackoffMs: 1 }).append(journal, event);
  assert.equal([idsOf(await eventsOf(journal)), isBehind], [[event.id], false]);
});

journals("gives up when other writers have every stream that it tries", async () => {
  const taken = watched(async () => ({ outcome: "wrong_expected_revision", actual: null }));
  const { append } = createJournals(taken, { initialBackoffMs: 1, retryForMs: 0 });
  assert.instance(await append(freshJournal(), happened()).catch((error) => error), EventLogUnavailable);
});

journals("switches to a new stream when another writer has appended", async () => {
  const journal = freshJournal();
  const writers = ["taken", "free"];
  const stranger = happened();
  await log.append(`appEvents-${journal.appId}_taken`, "no_stream", [stranger]);
  const { append } = createJournals(log, { initialBackoffMs: 1, newWriter: () => writers.shift() ?? "none" });
  const event = happened();
  await append(journal, event);
  const recorded = await eventsOf(journal);
  assert.equal(
    recorded.map(({ id, stream }) => [id, stream]),
    [
      [stranger.id, `appEvents-${journal.appId}_taken`],
      [event.id, `appEvents-${journal.appId}_free`],
    ],
  );
});

journals("keeps one stream an app for up to 10,000 apps that write in turn", async () => {
  const streams = new Set<string>();
  const position = { commit: 0n, prepare: 0n };
  const append: EventLog["append"] = async (stream, expected) => {
    streams.add(stream);
    return { outcome: "appended", revision: expected === "no_stream" ? 0n : (expected as bigint) + 1n, position };
  };
  const { append: write, depth } = createJournals({ ...log, append });
  const writeInTurn = async (apps: number): Promise<void> => {
    for (let appId = 1; appId <= apps; appId += 1) await write({ category: "appEvents", appId }, happened());
  };
  for (let round = 0; round < 2; round += 1) await writeInTurn(10_000);
  assert.is(streams.size, 10_000);
  await writeInTurn(10_001);
  assert.is(depth().journals, 10_000);
});

journals("evicts the journals idle for longest", async () => {
  const { append, depth } = createJournals(log, { maxJournals: 2 });
  const [one, two, three] = [freshJournal(), freshJournal(), freshJournal()];
  for (const journal of [one, two, one, three, one, two]) await append(journal, happened());
  const streams = await Promise.all([one, two, three].map(eventsOf));
  assert.equal(
    streams.map((events) => streamsOf(events).length),
    [1, 2, 1],
  );
  assert.is(depth().journals, 2);
});

journals("does not evict a journal with events on their way", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { append, depth } = createJournals(
    watched(async (attempt, append) => {
      if (attempt === 1) await held;
      return append();
    }),
    { maxJournals: 1 },
  );
  const [one, other] = [freshJournal(), freshJournal()];
  const first = append(one, happened());
  await append(other, happened());
  const second = append(one, happened());
  release();
  await Promise.all([first, second]);
  assert.equal([streamsOf(await eventsOf(one)).length, depth().journals], [1, 1]);
});

journals.after(() => store.close());
journals.run();
