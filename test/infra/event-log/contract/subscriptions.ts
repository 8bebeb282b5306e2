import { setTimeout as pause } from "node:timers/promises";
import {
  type EventStoreDBClient,
  eventTypeFilter,
  type Filter,
  type Position,
  type RecordedEvent,
  streamNameFilter,
} from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { idsOf, newStream } from "../event-log-client.ts";
import { clientOf, eventsOf, headOf, listenTo, newEvents, type ServerUnderTest, within } from "./client.ts";

export function subscriptionContract(name: string, server: () => ServerUnderTest): void {
  logSubscriptionContract(name, server);
  filteredSubscriptionContract(name, server);
  streamSubscriptionContract(name, server);
}

type Subscribed = ReturnType<EventStoreDBClient["subscribeToAll"]>;

/** Resolves when the server reports that the subscription has caught up. */
function caughtUp(subscription: Subscribed | ReturnType<EventStoreDBClient["subscribeToStream"]>): Promise<true> {
  return within<true>((found) => subscription.on("caughtUp" as "data", () => found(true)));
}

function confirmed(subscription: Subscribed | ReturnType<EventStoreDBClient["subscribeToStream"]>): Promise<true> {
  return within<true>((found) => subscription.on("confirmation", () => found(true)));
}

function logSubscriptionContract(name: string, server: () => ServerUnderTest): void {
  const subscriptions = suite(`${name}: subscribe to the log`);
  let client: EventStoreDBClient;
  subscriptions.before(() => {
    client = clientOf(server());
  });
  subscriptions.after(() => client.dispose());

  const streams = new Set<string>();
  const ownStream = (): string => {
    const stream = newStream();
    streams.add(stream);
    return stream;
  };
  const isOurs = ({ streamId }: RecordedEvent): boolean => streams.has(streamId);

  subscriptions("from a position: stored events after it, then new ones", async () => {
    const stream = ownStream();
    const events = newEvents(700);
    const { position } = await client.appendToStream(stream, events.slice(0, 1), { expectedRevision: "no_stream" });
    assert.ok(position);
    await client.appendToStream(stream, events.slice(1, 400), { expectedRevision: 0n });
    const listening = listenTo(client.subscribeToAll({ fromPosition: position }), isOurs);
    await listening.first(399);
    await client.appendToStream(stream, events.slice(400), { expectedRevision: 399n });
    assert.equal(idsOf(await listening.first(699)), idsOf(events.slice(1)));
    await listening.stop();
  });

  subscriptions("from the start: every event, in order", async () => {
    await client.appendToStream(ownStream(), newEvents(5), { expectedRevision: "no_stream" });
    // The whole log of a store of its own; a server that tests share can have more than is read in time.
    const stored = await eventsOf(client.readAll({ maxCount: 5_000 }));
    const listening = listenTo(client.subscribeToAll());
    assert.equal(idsOf(await listening.first(stored.length)), idsOf(stored));
    await listening.stop();
  });

  subscriptions("from the end: only new events", async () => {
    const subscription = client.subscribeToAll({ fromPosition: "end" });
    const listening = listenTo(subscription, isOurs);
    await confirmed(subscription);
    const events = newEvents(2);
    await client.appendToStream(ownStream(), events, { expectedRevision: "no_stream" });
    assert.equal(idsOf(await listening.first(2)), idsOf(events));
    await listening.stop();
  });

  subscriptions("reports that it has caught up: after stored events, before new ones", async () => {
    if (!server().reportsCaughtUp) return;
    const before = await headOf(client);
    await client.appendToStream(ownStream(), newEvents(40), { expectedRevision: "no_stream" });
    const subscription = client.subscribeToAll({ fromPosition: before });
    const listening = listenTo(subscription, isOurs);
    await caughtUp(subscription);
    assert.is(listening.events.length, 40);
    const empty = client.subscribeToAll({ fromPosition: "end" });
    await caughtUp(empty);
    await Promise.all([listening.stop(), empty.unsubscribe()]);
  });

  subscriptions("delivers everything once, in order, however slow its reader is", async () => {
    const before = await headOf(client);
    const subscription = client.subscribeToAll({ fromPosition: before });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { event } of subscription) {
        if (!event || !isOurs(event as RecordedEvent)) continue;
        seen.push(event.id);
        if (seen.length % 500 === 0) await pause(5);
        if (seen.length === 8_000) return;
      }
    })();
    const ids: string[] = [];
    for (let batch = 0; batch < 16; batch++) {
      const events = newEvents(500);
      await client.appendToStream(ownStream(), events, { expectedRevision: "no_stream" });
      ids.push(...idsOf(events));
    }
    await reading;
    assert.equal(seen, ids);
    await subscription.unsubscribe();
  });

  subscriptions("delivers the same to many", async () => {
    const before = await headOf(client);
    const all = Array.from({ length: 10 }, () => listenTo(client.subscribeToAll({ fromPosition: before }), isOurs));
    const events = newEvents(300);
    await client.appendToStream(ownStream(), events, { expectedRevision: "no_stream" });
    for (const listening of all) assert.equal(idsOf(await listening.first(300)), idsOf(events));
    await Promise.all(all.map((listening) => listening.stop()));
  });

  subscriptions.run();
}

function filteredSubscriptionContract(name: string, server: () => ServerUnderTest): void {
  const subscriptions = suite(`${name}: subscribe with a filter`);
  const wanted = newStream("wanted");
  const unwanted = newStream("unwanted");
  let client: EventStoreDBClient;
  let before: Position | "start";
  const events = newEvents(20).map((event, index) => ({
    ...event,
    type: index % 2 === 0 ? "EvenHappened" : "OddHappened",
  }));
  const others = newEvents(200, "OtherHappened");
  subscriptions.before(async () => {
    client = clientOf(server());
    before = await headOf(client);
    await client.appendToStream(wanted, events.slice(0, 10), { expectedRevision: "no_stream" });
    await client.appendToStream(unwanted, others, { expectedRevision: "no_stream" });
    await client.appendToStream(wanted, events.slice(10), { expectedRevision: 9n });
  });
  subscriptions.after(() => client.dispose());

  const idsThrough = async (filter: Filter, count: number) => {
    const listening = listenTo(client.subscribeToAll({ fromPosition: before, filter }));
    const found = idsOf(await listening.first(count));
    await listening.stop();
    return found;
  };

  subscriptions("on stream names, by prefix and by regular expression", async () => {
    assert.equal(await idsThrough(streamNameFilter({ prefixes: ["nothing-", wanted] }), 20), idsOf(events));
    assert.equal(await idsThrough(streamNameFilter({ regex: `^${wanted}$` }), 20), idsOf(events));
  });

  subscriptions("on event types, by prefix and by regular expression", async () => {
    const even = idsOf(events.filter(({ type }) => type === "EvenHappened"));
    assert.equal(await idsThrough(eventTypeFilter({ prefixes: ["Even"] }), 10), even);
    assert.equal(await idsThrough(eventTypeFilter({ prefixes: ["Even", "Odd"] }), 20), idsOf(events));
    assert.equal(await idsThrough(eventTypeFilter({ regex: "^E.*Happened$" }), 10), even);
  });

  subscriptions("continues with new events", async () => {
    const stream = newStream("later");
    const late = newEvents(6);
    await client.appendToStream(stream, late.slice(0, 3), { expectedRevision: "no_stream" });
    const filter = streamNameFilter({ prefixes: [stream] });
    const listening = listenTo(client.subscribeToAll({ fromPosition: before, filter }));
    await listening.first(3);
    await client.appendToStream(newStream("other"), newEvents(3), { expectedRevision: "no_stream" });
    await client.appendToStream(stream, late.slice(3), { expectedRevision: 2n });
    assert.equal(idsOf(await listening.first(6)), idsOf(late));
    await listening.stop();
  });

  subscriptions("reports that it has caught up, also when nothing matches the filter", async () => {
    if (!server().reportsCaughtUp) return;
    const checkpoints: Position[] = [];
    const checkpointReached = (_: unknown, position: Position) => void checkpoints.push(position);
    const filter = streamNameFilter({ prefixes: ["nothing-"], checkpointReached });
    const subscription = client.subscribeToAll({ fromPosition: before, filter });
    await caughtUp(subscription);
    assert.ok(checkpoints.length > 0);
    await subscription.unsubscribe();
  });

  subscriptions("sends checkpoints at an interval, in order with the events", async () => {
    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [wanted],
      maxSearchWindow: 10,
      checkpointInterval: 2,
      checkpointReached: (_, position) => void checkpoints.push(position),
    });
    const listening = listenTo(client.subscribeToAll({ fromPosition: before, filter }));
    await listening.first(20);
    const commits = checkpoints.map(({ commit }) => commit);
    assert.ok(commits.length >= 8, `220 events, a checkpoint at least every 20: ${commits.length}`);
    assert.equal(
      commits,
      commits.toSorted((one, other) => Number(one - other)),
    );
    await listening.stop();
    const half = checkpoints[Math.floor(checkpoints.length / 2)];
    assert.ok(half);
    const resumed = listenTo(
      client.subscribeToAll({ fromPosition: half, filter: streamNameFilter({ prefixes: [wanted] }) }),
    );
    assert.equal(idsOf(await resumed.first(10)), idsOf(events.slice(10)));
    await resumed.stop();
  });

  subscriptions.run();
}

function streamSubscriptionContract(name: string, server: () => ServerUnderTest): void {
  const subscriptions = suite(`${name}: subscribe to a stream`);
  let client: EventStoreDBClient;
  subscriptions.before(() => {
    client = clientOf(server());
  });
  subscriptions.after(() => client.dispose());

  subscriptions("from the start, and after a revision: stored events, then new ones", async () => {
    const stream = newStream();
    const events = newEvents(30);
    await client.appendToStream(stream, events.slice(0, 20), { expectedRevision: "no_stream" });
    const whole = listenTo(client.subscribeToStream(stream));
    const rest = listenTo(client.subscribeToStream(stream, { fromRevision: 9n }));
    await Promise.all([whole.first(20), rest.first(10)]);
    await client.appendToStream(newStream(), newEvents(3), { expectedRevision: "no_stream" });
    await client.appendToStream(stream, events.slice(20), { expectedRevision: 19n });
    assert.equal(idsOf(await whole.first(30)), idsOf(events));
    assert.equal(idsOf(await rest.first(20)), idsOf(events.slice(10)));
    await Promise.all([whole.stop(), rest.stop()]);
  });

  subscriptions("from the end: only new events", async () => {
    const stream = newStream();
    await client.appendToStream(stream, newEvents(5), { expectedRevision: "no_stream" });
    const subscription = client.subscribeToStream(stream, { fromRevision: "end" });
    const listening = listenTo(subscription);
    await confirmed(subscription);
    const events = newEvents(2);
    await client.appendToStream(stream, events, { expectedRevision: 4n });
    assert.equal(idsOf(await listening.first(2)), idsOf(events));
    await listening.stop();
  });

  subscriptions("to a stream without events", async () => {
    const stream = newStream();
    const subscription = client.subscribeToStream(stream);
    const listening = listenTo(subscription);
    await confirmed(subscription);
    const events = newEvents(2);
    await client.appendToStream(stream, events, { expectedRevision: "no_stream" });
    assert.equal(idsOf(await listening.first(2)), idsOf(events));
    await listening.stop();
  });

  subscriptions("reports that it has caught up", async () => {
    if (!server().reportsCaughtUp) return;
    const stream = newStream();
    await client.appendToStream(stream, newEvents(5), { expectedRevision: "no_stream" });
    const subscription = client.subscribeToStream(stream);
    const listening = listenTo(subscription);
    await caughtUp(subscription);
    assert.is(listening.events.length, 5);
    await listening.stop();
  });

  subscriptions.run();
}
