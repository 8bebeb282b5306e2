import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../../domain/event-catalogue.ts";
import { uploadedCategories } from "../../../../projections/facts/queries.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { metricUpload } from "../../../examples/uploaded-rows.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

/** The events stand at 100, 200, ... and come as one batch. */
const apply = (...events: readonly StoredEvent[]) => tables.apply(recordedLog(events));

const categories = suite("categories of uploaded metrics");
categories.before.each(() => tables.clear());
categories.after(() => db.destroy());

const ofApps = () => Promise.all([uploadedCategories(tables, 1), uploadedCategories(tables, 2)]);

categories("are those that an app has uploaded, by name", async () => {
  const ours = metricUpload(1, [{ eventCategory: "visits" }, { eventCategory: "Zoo" }, { eventCategory: "visits" }]);
  const theirs = metricUpload(2, [{ eventCategory: "calls" }], { appId: 2 });
  await apply(...ours.staged, ours.ingested, ...theirs.staged, theirs.ingested, ...metricUpload(3, [{}]).staged);
  assert.equal(await ofApps(), [
    [
      { eventCategory: "Zoo", archived: false },
      { eventCategory: "visits", archived: false },
    ],
    [{ eventCategory: "calls", archived: false }],
  ]);
  assert.equal(await tables.rows("uploaded_categories", "event_category", "first_position"), [
    { event_category: "Zoo", first_position: 200n },
    { event_category: "visits", first_position: 200n },
    { event_category: "calls", first_position: 400n },
  ]);
});

for (const [last, types] of [
  ["restored", ["UploadedMetricArchived", "UploadedMetricRestored"]],
  ["archived", ["UploadedMetricRestored", "UploadedMetricArchived"]],
] as const) {
  categories(`are ${last} when that was the last change in a batch`, async () => {
    const upload = metricUpload(1, [{ eventCategory: "visits" }]);
    await apply(
      ...upload.staged,
      upload.ingested,
      ...types.map((type): StoredEvent => ({ type, data: { appId: 1, eventCategory: "visits" } })),
    );
    assert.equal(await uploadedCategories(tables, 1), [{ eventCategory: "visits", archived: last === "archived" }]);
  });
}

categories.run();
