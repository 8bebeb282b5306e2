import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventStoreAccess } from "../../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { createStoredLog } from "../../../infra/event-log/stored-log.ts";
import { streamsOfInstance } from "../../../infra/event-log/stream-names.ts";
import { startTestLog } from "../../support/event-store.ts";
import { all, appended, firstOf, idsOf, someEvents } from "./event-log-client.ts";

const store = await startTestLog({ deadlineMs: 5_000 });
const { EVENTSTORE_URL, EVENT_STREAM_PREFIX: prefix } = store.environment;
const connection = { ...eventStoreAccess(EVENTSTORE_URL), deadlineMs: 5_000 };
/** Another program, which sees every stream under its own name. */
const anyone = store.log;
const plain = createEventLog({ ...connection, names: streamsOfInstance(prefix) });
const shop = createEventLog({ ...connection, names: streamsOfInstance(`${prefix}shop_`) });

const names = suite("the streams of an instance in a shared event store");

names("are the only ones that it reads, under names without the prefix", async () => {
  const [foreign, ofPlain, ofShop] = [someEvents(2), someEvents(2), someEvents(2)];
  await appended(anyone, "touchpoints-x", "no_stream", foreign);
  const first = await appended(plain, "touchpoints-1_writer", "no_stream", ofPlain);
  const second = await appended(shop, "touchpoints-1_writer", "no_stream", ofShop);
  const last = await appended(anyone, "order-1", "no_stream", someEvents(1));

  for (const [log, own, head] of [
    [plain, ofPlain, first],
    [shop, ofShop, second],
  ] as const) {
    assert.equal(idsOf(await all(log.readAll("start", 10))), idsOf(own));
    assert.equal(idsOf(await all(log.read("touchpoints-1_writer"))), idsOf(own));
    assert.equal(idsOf(await log.readBackwards("touchpoints-1_writer", 1)), idsOf(own.slice(-1)));
    assert.equal(idsOf((await firstOf(log.subscribe({ from: "start" }), 2)).flat()), idsOf(own));
    assert.equal(await log.headPosition(), head.position);
    assert.is(await log.eventAt(last.position), null);
  }
  assert.equal(
    (await all(anyone.readAll("start", 10))).map(({ stream }) => stream),
    [
      ...["touchpoints-x", "touchpoints-x", "touchpoints-1_writer", "touchpoints-1_writer"],
      ...["shop_touchpoints-1_writer", "shop_touchpoints-1_writer", "order-1"],
    ],
  );
});

names("have their own head, however much others append after it", async () => {
  const own = await appended(plain, "app-1", "no_stream", someEvents(1));
  for (let batch = 0; batch < 3; batch += 1) {
    await appended(anyone, `order-${batch + 2}`, "no_stream", someEvents(500));
    assert.equal(await plain.headPosition(), own.position);
  }
  const next = await appended(plain, "app-2", "no_stream", someEvents(1));
  await appended(anyone, "order-9", "no_stream", someEvents(1));
  assert.equal([await plain.headPosition(), await plain.headPosition()], [next.position, next.position]);
});

names("share reads between concurrent calls for the head, and each sees earlier appends", async () => {
  const stored = createStoredLog({ ...connection, names: streamsOfInstance(prefix) });
  let reads = 0;
  const read = stored.connection.read.bind(stored.connection);
  stored.connection.read = (...call) => {
    reads += 1;
    return read(...call);
  };
  const before = await appended(plain, "app-3", "no_stream", someEvents(1));
  const early = Array.from({ length: 14 }, stored.headPosition);
  assert.equal(await Promise.all(early), Array(14).fill(before.position));
  assert.is(reads, 2);

  const first = stored.headPosition();
  const after = await appended(plain, "app-4", "no_stream", someEvents(1));
  assert.equal(await Promise.all([stored.headPosition(), stored.headPosition()]), Array(2).fill(after.position));
  await first;
  await stored.close();
});

names.after(async () => {
  await plain.close();
  await shop.close();
  await store.close();
});
names.run();
