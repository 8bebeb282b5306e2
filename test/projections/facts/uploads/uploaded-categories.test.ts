import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { UploadedMetricEvent } from "../../../../domain/apps/events.ts";
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

const changed = (type: UploadedMetricEvent["type"], eventCategory: string): UploadedMetricEvent => ({
  type,
  data: { appId: 1, eventCategory },
});
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

categories("stay archived whatever is uploaded, until they are restored", async () => {
  const [first, second] = [metricUpload(1, [{}]), metricUpload(2, [{}])];
  const theirs = metricUpload(3, [{}], { appId: 2 });
  await apply(...first.staged, first.ingested, ...theirs.staged, theirs.ingested);
  const later = (...events: readonly StoredEvent[]) => tables.apply(recordedLog(events, 1_000n));
  const archived = changed("UploadedMetricArchived", "visits");
  await later(archived, ...second.staged, second.ingested);
  const visits = { eventCategory: "visits" };
  assert.equal(await ofApps(), [[{ ...visits, archived: true }], [{ ...visits, archived: false }]]);
  await tables.apply(recordedLog([changed("UploadedMetricRestored", "visits"), archived, archived], 2_000n));
  assert.equal(await ofApps(), [[{ ...visits, archived: true }], [{ ...visits, archived: false }]]);
  await tables.apply(recordedLog([archived, changed("UploadedMetricRestored", "visits")], 3_000n));
  assert.equal(await ofApps(), [[{ ...visits, archived: false }], [{ ...visits, archived: false }]]);
});

categories("cannot be archived before they are uploaded", async () => {
  const upload = metricUpload(1, [{}]);
  await apply(changed("UploadedMetricArchived", "visits"), ...upload.staged, upload.ingested);
  assert.equal(await uploadedCategories(tables, 1), [{ eventCategory: "visits", archived: false }]);
});

categories.run();
