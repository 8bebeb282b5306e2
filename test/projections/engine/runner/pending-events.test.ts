import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../../domain/event.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { comparePlaces, type Place } from "../../../../projections/engine/checkpoints/positions.ts";
import type { LogReader } from "../../../../projections/engine/runner/log-reader.ts";
import { openPendingEvents } from "../../../../projections/engine/runner/pending-events.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { split } from "../../split-property.ts";
import { payment } from "../ledger.ts";

const test = suite("buffer of a group");

/** A log in memory that hands out everything after a place, then waits until it is closed. */
function logOf(events: readonly RecordedEvent[]) {
  const read: bigint[] = [];
  const log: Pick<LogReader, "subscribe"> = {
    subscribe: ({ from, maxBatch = 1_000 }) => {
      let close = (): void => {};
      const closed = new Promise<void>((resolve) => {
        close = resolve;
      });
      async function* batches() {
        let rest = events.filter(({ position }) => from === "start" || comparePlaces(position, from) > 0);
        for (; rest.length > 0; rest = rest.slice(maxBatch)) {
          read.push(...rest.slice(0, maxBatch).map(({ position }) => position.commit));
          yield rest.slice(0, maxBatch);
        }
        await closed;
      }
      return { close, [Symbol.asyncIterator]: batches };
    },
  };
  return { log, read };
}

const history = recordedLog(Array.from({ length: 40 }, (_, index) => payment(index)));
const positions = (events: readonly RecordedEvent[]) => events.map(({ position }) => position.commit);
const placeOf = (events: readonly RecordedEvent[]): Place => events.at(-1)?.position ?? null;

test("hands out every event once and in order, whatever the tail offers when", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 39 }),
      fc.array(fc.nat({ max: 40 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.nat({ max: 30 }), { maxLength: 8 }),
      async (offeredFrom, cuts, maxBatch, turns) => {
        const buffer = openPendingEvents(logOf(history).log, { maxBatch, capacity: 12 });
        const offers = split(history.slice(offeredFrom), cuts).filter(({ length }) => length > 0);
        const taken: RecordedEvent[] = [];
        const group = (async () => {
          while (taken.length < history.length) taken.push(...((await buffer.next(placeOf(taken))) ?? []));
        })();
        for (const offer of offers) {
          for (let turn = turns.shift() ?? 0; turn > 0; turn -= 1) await Promise.resolve();
          buffer.add(offer);
        }
        await group;
        buffer.close();
        assert.equal(positions(taken), positions(history));
      },
    ),
    { numRuns: 500 },
  );
});

test("does not read the log once it has met what the tail offers", async () => {
  const { log, read } = logOf(history.slice(0, 10));
  const buffer = openPendingEvents(log, { maxBatch: 100, capacity: 100 });
  buffer.add(history.slice(8, 12));
  const first = (await buffer.next(null)) ?? [];
  assert.equal(positions(first), positions(history.slice(0, 10)));
  assert.equal(positions((await buffer.next(placeOf(first))) ?? []), positions(history.slice(10, 12)));
  buffer.add(history.slice(12, 14));
  assert.equal(positions((await buffer.next(placeOf(history.slice(0, 12)))) ?? []), positions(history.slice(12, 14)));
  assert.equal(read, positions(history.slice(0, 10)));
});

test("reads the log when the group goes back", async () => {
  const buffer = openPendingEvents(logOf(history).log, { maxBatch: 100, capacity: 100 });
  buffer.add(history.slice(0, 20));
  const place: LogPosition | null = placeOf(history.slice(0, 5));
  assert.equal(positions((await buffer.next(place)) ?? []), positions(history.slice(5, 20)));
  assert.equal(positions((await buffer.next(placeOf(history.slice(0, 2)))) ?? []), positions(history.slice(2)));
  buffer.close();
});

test("gathers what is not urgent, until something is", async () => {
  const urgent = history[5]?.position;
  const isUrgent = ({ position }: RecordedEvent): boolean => position === urgent;
  const buffer = openPendingEvents(logOf(history.slice(0, 1)).log, { maxBatch: 100, capacity: 100, isUrgent });
  const read = (await buffer.next(null)) ?? [];
  buffer.add(history.slice(0, 2));
  const first = (await buffer.next(placeOf(read))) ?? [];
  assert.equal(positions(first), positions(history.slice(1, 2)), "the first at once");
  const gathered = buffer.next(placeOf(first));
  for (let index = 2; index < 6; index += 1) {
    buffer.add(history.slice(index, index + 1));
    await Promise.resolve();
  }
  assert.equal(
    positions((await gathered) ?? []),
    positions(history.slice(2, 6)),
    "those before the urgent one with it",
  );
  buffer.add(history.slice(6, 8));
  const rest = (await buffer.next(placeOf(history.slice(0, 6)))) ?? [];
  assert.equal(positions(rest), positions(history.slice(6, 8)), "the others after a while");
  buffer.close();
});

test("does not gather once somebody waits", async () => {
  let isAwaited = false;
  const buffer = openPendingEvents(logOf(history.slice(0, 1)).log, {
    maxBatch: 100,
    capacity: 100,
    isUrgent: () => false,
    isAwaited: () => isAwaited,
  });
  const read = (await buffer.next(null)) ?? [];
  buffer.add(history.slice(0, 2));
  const first = (await buffer.next(placeOf(read))) ?? [];
  buffer.add(history.slice(2, 3));
  const next = buffer.next(placeOf(first));
  isAwaited = true;
  buffer.recheck();
  assert.equal(positions((await next) ?? []), positions(history.slice(2, 3)));
  buffer.close();
});

test("answers null once it is closed, also to who waits", async () => {
  const buffer = openPendingEvents(logOf([]).log, { maxBatch: 100, capacity: 100 });
  const waiting = buffer.next(null);
  buffer.close();
  assert.equal([await waiting, await buffer.next(null)], [null, null]);
});

test.run();
