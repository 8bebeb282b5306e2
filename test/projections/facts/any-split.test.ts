import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { anyFactsLog } from "./any-log.ts";
import { assertSameInAnySplit, createFacts, openTestDatabase } from "./facts-tables.ts";
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
    { numRuns: 30 },
  );
});

rows("are the same in any split into batches, some applied twice, and from the middle again", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, fc.infiniteStream(fc.integer({ min: 1, max: 8 })), async (log, sizes) => {
      await assertSameInAnySplit([whole, split], log, sizes);
    }),
    { numRuns: 30 },
  );
});

rows.run();
