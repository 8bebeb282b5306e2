import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamName } from "../../../domain/streams.ts";
import { spoolEntries } from "../../../infra/spool/spool-entries.ts";

const entry = (at: number, stream: StreamName = "app-a") => ({ stream, events: 2, bytes: 10, at });

const entries = suite("the entries of the spool");

entries("know when the oldest batch was written, in whatever order they were put", () => {
  const kept = spoolEntries();
  for (const [number, at] of [5, 3, 4].entries()) kept.put(number, entry(at));
  assert.equal(kept.depth(), { batches: 3, events: 6, bytes: 30, oldestAt: 3 });
  kept.drop(1);
  assert.is(kept.depth().oldestAt, 4);
});

entries("count a batch once that is put again, under another stream", () => {
  const kept = spoolEntries();
  kept.put(1, entry(1, "app-a"));
  kept.put(1, entry(1, "app-b"));
  assert.equal([kept.streams(), kept.streamOf(1), kept.holds("app-a")], [["app-b"], "app-b", false]);
  assert.equal(kept.depth(), { batches: 1, events: 2, bytes: 10, oldestAt: 1 });
  kept.drop(1);
  kept.drop(1);
  assert.equal([kept.isEmpty(), kept.depth()], [true, { batches: 0, events: 0, bytes: 0, oldestAt: null }]);
});

entries.run();
