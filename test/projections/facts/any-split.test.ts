import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { anyFactsLog } from "./any-log.ts";
import { assertSameInAnySplit, createFacts, openTestDatabase } from "./facts-tables.ts";
import { appEventsIn, isFirstAt } from "./reference.ts";

const db = await openTestDatabase();
const whole = await createFacts(db);
const split = await createFacts(db);

const rows = suite("the rows of the facts");

rows.after(() => db.destroy());

rows("of first events are what the definition gives at every position", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, async (log) => {
      await whole.clear();
      await whole.apply(log);
      const stored = await whole.rows("app_events");
      for (const event of appEventsIn(log)) {
        const { appId, eventId } = event.data;
        const versions = stored.filter(({ app_id, event_id }) => app_id === appId && event_id === eventId);
        for (const { position } of log.filter((one) => one.position.commit >= event.position.commit)) {
          const at = position.commit;
          const inForce = versions.filter(
            ({ from_position, to_position }) => BigInt(String(from_position)) <= at && at < BigInt(String(to_position)),
          );
          assert.equal(
            inForce.map(({ is_first_of_device, is_first_of_user }) => ({ is_first_of_device, is_first_of_user })),
            [isFirstAt(log, event, at)],
          );
        }
      }
    }),
    { numRuns: 20 },
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
