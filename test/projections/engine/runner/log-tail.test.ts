import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import type { LogReader } from "../../../../projections/engine/runner/log-reader.ts";
import { createLogTail } from "../../../../projections/engine/runner/log-tail.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const at = (commit: bigint) => ({ position: { commit, prepare: commit }, type: "AppRegistered" }) as RecordedEvent;

/** A log whose head is at 100, and that delivers what is given to it. */
function someLog() {
  let deliver = (_batch: readonly RecordedEvent[]): void => {};
  let close = (): void => {};
  const log = {
    headPosition: async () => ({ commit: 100n, prepare: 100n }),
    subscribe: () => ({
      close: () => close(),
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const batch = await new Promise<readonly RecordedEvent[] | null>((resolve) => {
            deliver = resolve;
            close = () => resolve(null);
          });
          if (batch === null) return;
          yield batch;
        }
      },
    }),
  } as unknown as LogReader;
  return { log, deliver: (...commits: readonly bigint[]) => deliver(commits.map(at)) };
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

tail.run();
