import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { createEventQueue } from "../../../infra/event-log/event-queue.ts";
import { maxQueuedBytes } from "../../../infra/event-log/read-messages.ts";

const events = Array.from({ length: 5 }, (_, index) => ({ id: `${index}` }) as RecordedEvent);

const queue = suite("the queue of a subscription");

queue("gives events in order, in batches that are not too large", () => {
  const queued = createEventQueue(2);
  for (const event of events) queued.add(event, 1);
  const batches = [];
  while (!queued.isEmpty()) batches.push([queued.holdsWholeBatch(), queued.takeBatch().map(({ id }) => id)]);
  assert.equal(batches, [
    [true, ["0", "1"]],
    [true, ["2", "3"]],
    [false, ["4"]],
  ]);
});

queue("is full with two batches, or with too many bytes, until some are taken", () => {
  for (const [maxBatch, bytes] of [
    [1, 1],
    [1_000, maxQueuedBytes / 2],
  ] as const) {
    const queued = createEventQueue(maxBatch);
    const full = events.slice(0, 2).map((event) => {
      queued.add(event, bytes);
      return queued.isFull();
    });
    queued.takeBatch();
    assert.equal([...full, queued.isFull()], [false, true, false]);
  }
});

queue.run();
