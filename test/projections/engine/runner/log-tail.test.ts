import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import type { LogReader, SubscribeOptions } from "../../../../projections/engine/runner/log-reader.ts";
import { createLogTail } from "../../../../projections/engine/runner/log-tail.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const positionAt = (commit: bigint) => ({ commit, prepare: commit });
const at = (commit: bigint) => ({ position: positionAt(commit), type: "AppRegistered" }) as RecordedEvent;

/** A log whose head is at 100, and that delivers what is given to it. */
function someLog() {
  let deliver = (_batch: readonly RecordedEvent[]): void => {};
  let fail = (_failure: Error): void => {};
  let close = (): void => {};
  let onSubscribed = (): void => {};
  const subscribed: { readonly from: SubscribeOptions["from"]; readonly at: number }[] = [];
  const log = {
    headPosition: async () => ({ commit: 100n, prepare: 100n }),
    subscribe: ({ from }: SubscribeOptions) => {
      subscribed.push({ from, at: performance.now() });
      return {
        close: () => close(),
        async *[Symbol.asyncIterator]() {
          for (;;) {
            const batch = await new Promise<readonly RecordedEvent[] | null>((resolve, reject) => {
              deliver = resolve;
              fail = reject;
              close = () => resolve(null);
              onSubscribed();
            });
            if (batch === null) return;
            yield batch;
          }
        },
      };
    },
  } as unknown as LogReader;
  return {
    log,
    deliver: (...commits: readonly bigint[]) => deliver(commits.map(at)),
    deliverEvents: (...events: readonly RecordedEvent[]) => deliver(events),
    fail: () => fail(new Error("away")),
    /** What has been subscribed to, once there were so many subscriptions. */
    subscriptions: async (count: number) => {
      while (subscribed.length < count) await new Promise<void>((resolve) => (onSubscribed = resolve));
      return subscribed;
    },
  };
}

const tail = suite("the tail of the log");

tail("has passed its beginning, and positions once the listeners have been called with them", async () => {
  const { log, deliver } = someLog();
  const called: bigint[] = [];
  const followed = createLogTail(log, silent, [(batch) => called.push(...batch.map((event) => event.position.commit))]);
  assert.is(await followed.waitForPosition(100n, 0), false, "before its start");
  await followed.start();
  assert.equal(await Promise.all([followed.waitForPosition(100n, 0), followed.waitForPosition(101n, 0)]), [
    true,
    false,
  ]);
  const waits = [110n, 120n, 121n].map((position) => followed.waitForPosition(position, 60_000));
  deliver(105n, 120n);
  assert.equal(await Promise.all(waits.slice(0, 2)), [true, true]);
  assert.equal(called, [105n, 120n]);
  deliver(130n);
  assert.is(await waits[2], true);
  await followed.stop();
});

tail("is followed from its last event on after a failure, but not at once", async () => {
  const { log, deliver, fail, subscriptions } = someLog();
  const called: bigint[] = [];
  const followed = createLogTail(log, silent, [(batch) => called.push(...batch.map((event) => event.position.commit))]);
  await followed.start();
  deliver(105n, 120n);
  assert.is(await followed.waitForPosition(120n, 60_000), true);
  const failedAt = performance.now();
  fail();
  const [first, second] = await subscriptions(2);
  assert.equal([first?.from, second?.from], [100n, 120n].map(positionAt));
  assert.ok((second?.at ?? 0) - failedAt >= 450, "after a pause");
  deliver(130n);
  assert.is(await followed.waitForPosition(130n, 60_000), true);
  assert.equal(called, [105n, 120n, 130n]);
  await followed.stop();
});

tail(
  "is heard by all listeners, though one fails, until they are removed, and without the bytes of files",
  async () => {
    const { log, deliver, deliverEvents } = someLog();
    const called: string[] = [];
    const followed = createLogTail(log, silent, [
      () => {
        throw new Error("no listener may throw");
      },
      (batch) =>
        called.push(...batch.map(({ type, data }) => `${type} ${data instanceof Uint8Array ? data.length : ""}`)),
    ]);
    const removed: bigint[] = [];
    const remove = followed.listen((batch) => removed.push(...batch.map((event) => event.position.commit)));
    await followed.start();
    deliverEvents({ ...at(110n), type: "FileChunk", data: new Uint8Array(9) } as RecordedEvent);
    assert.is(await followed.waitForPosition(110n, 60_000), true);
    remove();
    deliver(120n);
    assert.is(await followed.waitForPosition(120n, 60_000), true);
    assert.equal([called, removed], [["FileChunk 0", "AppRegistered "], [110n]]);
    await followed.stop();
  },
);

tail.run();
