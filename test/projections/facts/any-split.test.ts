import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { anyFactsLog, type FactsLog } from "./any-log.ts";
import { createFacts, openTestDatabase } from "./facts-tables.ts";
import { expectedVersions } from "./reference.ts";

const db = await openTestDatabase();
const whole = await createFacts(db);
const split = await createFacts(db);

const rows = suite("the rows of the facts");

rows.after(() => db.destroy());

rows("are what the definitions of labels and firsts say at every position", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, async (log) => {
      await whole.clear();
      await whole.apply(log);
      const columns = ["app_id", "event_id", "from_position", "to_position", "touchpoint_id", "labelled_position"];
      assert.equal(
        await whole.rows("app_events", ...columns, "is_first_of_device", "is_first_of_user"),
        expectedVersions(log),
      );
    }),
    { numRuns: 60 },
  );
});

rows("are the same in any split into batches, also when some are applied twice", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, fc.infiniteStream(fc.integer({ min: 1, max: 8 })), async (log, sizes) => {
      await whole.clear();
      await whole.apply(log);
      await split.clear();
      for (const batch of batchesOf(log, sizes)) {
        await split.apply(batch);
        if (batch.length % 2 === 1) await split.apply(batch);
      }
      assert.equal(await split.all(), await whole.all());
    }),
    { numRuns: 50 },
  );
});

rows("are the same when the log is applied again from the middle", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, fc.nat(), async (log, from) => {
      await whole.clear();
      await whole.apply(log);
      const once = await whole.all();
      await whole.apply(log.slice(from % log.length));
      assert.equal(await whole.all(), once);
    }),
    { numRuns: 25 },
  );
});

rows.run();

function* batchesOf(log: FactsLog, sizes: Iterator<number>): Iterable<FactsLog> {
  for (let start = 0; start < log.length; ) {
    const size: number = sizes.next().value;
    yield log.slice(start, start + size);
    start += size;
  }
}
