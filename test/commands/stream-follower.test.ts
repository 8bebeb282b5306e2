import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followStream } from "../../commands/stream-follower.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { modelBundlesStream } from "../../domain/streams.ts";
import { EventLogUnavailable } from "../../infra/event-log/event-log.ts";
import { recordedAt } from "../examples/recorded-log.ts";

const length = 8;
/** The whole stream. */
const stream = Array.from({ length }, (_, revision) => inStream(revision));
const elsewhere: RecordedEvent = { ...inStream(0), stream: "app-1" };

function inStream(revision: number): RecordedEvent {
  return {
    ...recordedAt(1_000n + BigInt(revision), { type: "BundleRetired", data: { bundleId: `bundle-${revision}` } }),
    stream: modelBundlesStream,
    revision: BigInt(revision),
  };
}

/** A follower, and the revisions that it has passed on and read from. `stored`: how many events the log has. */
function follow(stored = length) {
  const [passed, reads] = [[] as number[], [] as number[]];
  let isAvailable = true;
  const read = async function* (_: string, from = 0n) {
    reads.push(Number(from));
    if (!isAvailable) throw new EventLogUnavailable("stopped");
    yield* stream.slice(Number(from), stored) as never[];
  };
  const follower = followStream({ read }, modelBundlesStream, "modelBundles", ({ revision }) => {
    passed.push(Number(revision));
  });
  const setAvailable = (value: boolean): void => {
    isAvailable = value;
  };
  return { follower, passed, reads, setAvailable };
}

const following = suite("a follower of a stream");

following("passes each event on once, in order, however the tail and reads overlap", async () => {
  const revision = fc.nat(length);
  const step = fc.oneof(fc.constant("refresh" as const), fc.tuple(revision, revision));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const { follower, passed } = follow();
      for (const one of steps) {
        if (one === "refresh") await follower.refresh();
        else follower.apply([elsewhere, ...stream.slice(...one)]);
      }
      await follower.refresh();
      assert.equal(passed, [...stream.keys()]);
    }),
  );
});

following("reads the gap when the tail has skipped events, and nothing when it has not", async () => {
  const { follower, passed, reads } = follow(4);
  follower.apply(stream.slice(0, 2));
  assert.equal([passed, reads, follower.hasBegun()], [[0, 1], [], true]);
  follower.apply(stream.slice(3, 4));
  await follower.refresh();
  assert.equal(
    [passed, reads],
    [
      [0, 1, 2, 3],
      [2, 4],
    ],
  );
});

following("leaves out events that this version cannot read", async () => {
  const { follower, passed } = follow(0);
  const unknown = { ...inStream(1), type: "OfANewerVersion" } as unknown as RecordedEvent;
  follower.apply([inStream(0), unknown, inStream(2)]);
  assert.equal(passed, [0, 2]);
});

following("reads again after a failure", async () => {
  const { follower, passed, reads, setAvailable } = follow(2);
  setAvailable(false);
  follower.apply(stream.slice(1, 2));
  assert.is(await follower.refresh().catch((failure) => failure.name), "EventLogUnavailable");
  assert.equal([passed, follower.hasBegun()], [[], false]);
  setAvailable(true);
  await follower.refresh();
  assert.equal([passed, reads.length], [[0, 1], 3]);
});

following.run();
