import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../../domain/event.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { comparePositions, type PositionOrStart } from "../../../../projections/engine/checkpoints/positions.ts";
import type { LogReader } from "../../../../projections/engine/runner/log-reader.ts";
import { openPendingEvents } from "../../../../projections/engine/runner/pending-events.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { split } from "../../split-property.ts";
import { payment } from "../ledger.ts";

const test = suite("pending events of a group");

/** A log in memory that returns everything after a position, then waits until it is closed. */
function logOf(events: readonly RecordedEvent[]) {
  const read: bigint[] = [];
  const subscriptions = { open: 0 };
  const log: Pick<LogReader, "subscribe"> = {
    subscribe: ({ from, maxBatch = 1_000 }) => {
      let close = (): void => {};
      subscriptions.open += 1;
      const closed = new Promise<void>((resolve) => {
        close = () => {
          subscriptions.open -= 1;
          resolve();
        };
      });
      async function* batches() {
        let rest = events.filter(({ position }) => from === "start" || comparePositions(position, from) > 0);
        for (; rest.length > 0; rest = rest.slice(maxBatch)) {
          read.push(...rest.slice(0, maxBatch).map(({ position }) => position.commit));
          yield rest.slice(0, maxBatch);
        }
        await closed;
      }
      return { close, [Symbol.asyncIterator]: batches };
    },
  };
  return { log, read, subscriptions };
}

const history = recordedLog(Array.from({ length: 40 }, (_, index) => payment(index)));
const positions = (events: readonly RecordedEvent[]) => events.map(({ position }) => position.commit);
const positionOf = (events: readonly RecordedEvent[]): PositionOrStart => events.at(-1)?.position ?? null;

test("returns every event once and in order, whenever the tail adds events", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 39 }),
      fc.array(fc.nat({ max: 40 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.nat({ max: 30 }), { maxLength: 8 }),
      async (addedFrom, cuts, maxBatch, turns) => {
        const pending = openPendingEvents(logOf(history).log, { maxBatch, capacity: 12 });
        const additions = split(history.slice(addedFrom), cuts).filter(({ length }) => length > 0);
        const taken: RecordedEvent[] = [];
        const group = (async () => {
          while (taken.length < history.length) taken.push(...((await pending.next(positionOf(taken))) ?? []));
        })();
        for (const addition of additions) {
          for (let turn = turns.shift() ?? 0; turn > 0; turn -= 1) await Promise.resolve();
          pending.add(addition);
        }
        await group;
        pending.close();
        assert.equal(positions(taken), positions(history));
      },
    ),
    { numRuns: 500 },
  );
});

/** Each event weighs as much as 21 others. */
const uploaded = recordedLog(
  Array.from({ length: 4 }, () => ({ type: "MetricRowsStaged", data: { rows: Array(400).fill({}) } }) as never),
) as readonly RecordedEvent[];

for (const [capacity, batches] of [
  [84, [[200n, 300n], [400n]]],
  // Forgotten, and read from the log.
  [83, [[200n, 300n, 400n]]],
] as const) {
  test(`weighs events by their uploaded rows: a capacity of ${capacity}`, async () => {
    const pending = openPendingEvents(logOf(uploaded.slice(0, capacity === 84 ? 1 : 4)).log, {
      maxBatch: 42,
      capacity,
    });
    for (const event of uploaded) pending.add([event]);
    let position = positionOf(uploaded.slice(0, 1));
    for (const expected of batches) {
      const batch = (await pending.next(position)) ?? [];
      assert.equal(positions(batch), expected);
      position = positionOf(batch);
    }
    pending.close();
  });
}

test("returns an event that weighs more than a batch alone", async () => {
  const pending = openPendingEvents(logOf([]).log, { maxBatch: 20, capacity: 84 });
  pending.add(uploaded.slice(0, 3));
  const first = positionOf(uploaded.slice(0, 1));
  assert.equal(positions((await pending.next(first)) ?? []), [200n]);
  pending.close();
});

test("does not read the log once it has reached the events of the tail", async () => {
  const { log, read, subscriptions } = logOf(history.slice(0, 10));
  const pending = openPendingEvents(log, { maxBatch: 100, capacity: 100 });
  pending.add(history.slice(8, 12));
  const first = (await pending.next(null)) ?? [];
  assert.equal(positions(first), positions(history.slice(0, 10)));
  assert.equal(subscriptions, { open: 1 });
  assert.equal(positions((await pending.next(positionOf(first))) ?? []), positions(history.slice(10, 12)));
  assert.equal(subscriptions, { open: 0 });
  pending.add(history.slice(12, 14));
  assert.equal(
    positions((await pending.next(positionOf(history.slice(0, 12)))) ?? []),
    positions(history.slice(12, 14)),
  );
  assert.equal(read, positions(history.slice(0, 10)));
});

test("reads the log when the checkpoint was moved back", async () => {
  const pending = openPendingEvents(logOf(history).log, { maxBatch: 100, capacity: 100 });
  pending.add(history.slice(0, 20));
  const position: LogPosition | null = positionOf(history.slice(0, 5));
  assert.equal(positions((await pending.next(position)) ?? []), positions(history.slice(5, 20)));
  assert.equal(positions((await pending.next(positionOf(history.slice(0, 2)))) ?? []), positions(history.slice(2)));
  pending.close();
});

test("collects events that are not urgent until an urgent one", async () => {
  const urgent = history[5]?.position;
  const isUrgent = ({ position }: RecordedEvent): boolean => position === urgent;
  const pending = openPendingEvents(logOf(history.slice(0, 1)).log, { maxBatch: 100, capacity: 100, isUrgent });
  const read = (await pending.next(null)) ?? [];
  pending.add(history.slice(0, 2));
  const first = (await pending.next(positionOf(read))) ?? [];
  assert.equal(positions(first), positions(history.slice(1, 2)), "the first at once");
  const collected = pending.next(positionOf(first));
  for (let index = 2; index < 6; index += 1) {
    pending.add(history.slice(index, index + 1));
    await Promise.resolve();
  }
  assert.equal(
    positions((await collected) ?? []),
    positions(history.slice(2, 6)),
    "those before the urgent one with it",
  );
  pending.add(history.slice(6, 8));
  const rest = (await pending.next(positionOf(history.slice(0, 6)))) ?? [];
  assert.equal(positions(rest), positions(history.slice(6, 8)), "the others after a while");
  pending.close();
});

test("does not collect events while a caller waits", async () => {
  let isAwaited = false;
  const pending = openPendingEvents(logOf(history.slice(0, 1)).log, {
    maxBatch: 100,
    capacity: 100,
    isUrgent: () => false,
    isAwaited: () => isAwaited,
  });
  const read = (await pending.next(null)) ?? [];
  pending.add(history.slice(0, 2));
  const first = (await pending.next(positionOf(read))) ?? [];
  pending.add(history.slice(2, 3));
  const next = pending.next(positionOf(first));
  isAwaited = true;
  pending.recheck();
  assert.equal(positions((await next) ?? []), positions(history.slice(2, 3)));
  pending.close();
});

test("yields to another group for a limited time only, however long a caller waits for that", async () => {
  const pending = openPendingEvents(logOf(history).log, { maxBatch: 100, capacity: 100, isYielding: () => true });
  assert.equal(positions((await pending.next(null)) ?? []), positions(history));
  pending.close();
});

test("reads the log anew after it has failed", async () => {
  const { log } = logOf(history);
  let isAway = true;
  const failing: Pick<LogReader, "subscribe"> = {
    subscribe: (options) => {
      if (!isAway) return log.subscribe(options);
      isAway = false;
      return { close: () => {}, [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("away")) }) };
    },
  };
  const pending = openPendingEvents(failing, { maxBatch: 100, capacity: 100 });
  assert.is(await pending.next(null).catch(({ message }: Error) => message), "away");
  assert.equal(positions((await pending.next(null)) ?? []), positions(history));
  pending.close();
});

test("returns null once closed, also to a pending call", async () => {
  const pending = openPendingEvents(logOf([]).log, { maxBatch: 100, capacity: 100 });
  const waiting = pending.next(null);
  pending.close();
  assert.equal([await waiting, await pending.next(null)], [null, null]);
});

test.run();
