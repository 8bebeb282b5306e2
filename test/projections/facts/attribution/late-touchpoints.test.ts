import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertSameInAnySplit, createFacts, openTestDatabase } from "../facts-tables.ts";
import { appEventsIn } from "../reference.ts";
import { anySteps, historyOf } from "./late-history.ts";
import { winnerAt } from "./late-reference.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
const other = await createFacts(db);

const late = suite("labels and late touchpoints, in any order of arrival");

late.after(() => db.destroy());

late("are at every position those of a decision from scratch with all events up to there", async () => {
  let revisions = 0;
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      await tables.clear();
      const history = await historyOf(steps, tables);
      revisions += history.filter(({ type }) => type === "AttributionRevised").length;
      const rows = await tables.rows("app_events", "event_id", "from_position", "to_position", "touchpoint_id");
      for (const event of appEventsIn(history)) {
        const versions = rows.filter(({ event_id }) => event_id === event.data.eventId);
        for (const { position } of history.filter((one) => one.position.commit >= event.position.commit)) {
          const at = position.commit;
          const seen = versions.filter(
            ({ from_position: from, to_position: to }) => BigInt(String(from)) <= at && at < BigInt(String(to)),
          );
          assert.equal(
            seen.map(({ touchpoint_id }) => touchpoint_id),
            [winnerAt(history, event, at)],
          );
        }
      }
    }),
    { numRuns: 25 },
  );
  assert.ok(revisions > 10);
});

late("are the same in any split into batches, applied twice, and again from the middle", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), async (steps, sizes) => {
      await tables.clear();
      const history = await historyOf(steps, tables);
      const expected = await tables.all();
      assert.equal(await assertSameInAnySplit([tables, other], history, sizes), expected);
    }),
    { numRuns: 15 },
  );
});

late.run();
