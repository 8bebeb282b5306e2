import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { streamEvents } from "../../../infra/embedded-event-store/pages.ts";
import { Storage } from "../../../infra/embedded-event-store/storage.ts";

const directory = mkdtempSync(join(tmpdir(), "touchledger-storage-"));
const storage = new Storage(directory);

const reading = suite("a stream that is read while it is written");
reading.after(async () => {
  await storage.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const name = "stream-1";
const events = (range: { readonly from: number; readonly backwards: boolean }): readonly number[] => {
  const state = storage.stream(name);
  if (state === null) return [];
  return [...streamEvents(storage, state, { ...range, count: 1_000 })].flatMap((page) =>
    page.map(({ position }) => position),
  );
};

reading("ends at the head, in both directions, until the commit is done", async () => {
  for (let round = 0; round < 100; round += 1) {
    const position = storage.head + 1;
    const bytes = Buffer.from("event");
    let committed = false;
    const commit = storage
      .commit({
        events: [{ position, bytes }],
        runs: [{ stream: 1, firstRevision: round, firstPosition: position, count: 1 }],
        streams: new Map([[name, { number: 1, lastRevision: round, tombstone: null, metadata: null }]]),
      })
      .then(() => {
        committed = true;
      });
    while (!committed) {
      const upTo = Array.from({ length: storage.head }, (_, index) => index + 1);
      assert.equal(events({ from: 0, backwards: false }), upTo);
      assert.equal(events({ from: Number.POSITIVE_INFINITY, backwards: true }), [...upTo].reverse());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await commit;
    assert.is(events({ from: 0, backwards: false }).length, round + 1);
  }
});

reading.run();
