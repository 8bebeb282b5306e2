import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadedMetricRoutes } from "../../../commands/apps/uploaded-metric-routes.ts";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { appStream, uploadStream } from "../../../domain/streams.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { uploadedCategories } from "../../../projections/facts/queries.ts";
import { operatorCause } from "../../examples/cause.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { metricUpload } from "../../examples/uploaded-rows.ts";
import { uploadId } from "../../examples/uploads.ts";
import { createFacts, openTestDatabase } from "../../projections/facts/facts-tables.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
let application: Administration;

/** Applies the whole log again, which changes nothing for events that were applied before. */
const project = async (): Promise<void> => {
  for (const event of await application.events()) if (facts.handles.includes(event.type)) await tables.apply([event]);
};

/** The app `shop` has uploaded visits and a rate whose name has to be encoded in a path; `other` has nothing. */
const metrics = suite("archiving uploaded metrics over HTTP");
metrics.before(async () => {
  application = await startAdministration({
    routes: ({ log }) => uploadedMetricRoutes({ log, uploadedMetrics: (appId) => uploadedCategories(tables, appId) }),
  });
  const { id: appId } = await application.registerApp("shop");
  await application.registerApp("other");
  const upload = metricUpload(1, [{}, { eventCategory: "50% / day + 1" }], { appId });
  const events = [...upload.staged, upload.ingested].map((event, index) => ({
    ...event,
    id: exampleUuid("uploading", index),
    metadata: eventMetadata(event.type, operatorCause),
  }));
  await application.log.append(uploadStream(uploadId(1)), "no_stream", events);
  await project();
});
metrics.after(async () => {
  await application.close();
  await db.destroy();
});

const put = (path: string, body: unknown): Promise<Answer> =>
  application.call("PUT", `/admin/v1/apps/${path}`, { token: adminToken, body });
const [archived, shown] = [{ archived: true }, { archived: false }];

metrics("hides and restores them; an unchanged metric appends no event", async () => {
  const answer = await put("shop/uploaded-metrics/visits", archived);
  const uploadedMetric = { eventCategory: "visits", archived: true };
  assert.equal([answer.status, answer.json], [200, { data: { uploadedMetric } }]);
  const again = await put("shop/uploaded-metrics/visits", archived);
  assert.equal([again.status, again.headers["x-log-position"]], [200, answer.headers["x-log-position"]]);
  assert.match(String(answer.headers["x-log-position"]), /^\d+$/);
  await project();
  const other = { eventCategory: "50% / day + 1", archived: false };
  assert.equal(await uploadedCategories(tables, 1), [other, { eventCategory: "visits", archived: true }]);

  await put("shop/uploaded-metrics/visits", shown);
  await project();
  assert.equal(await uploadedCategories(tables, 1), [other, { eventCategory: "visits", archived: false }]);
  const data = { appId: 1, eventCategory: "visits" };
  assert.equal(await application.facts(appStream(1)), [
    { type: "UploadedMetricArchived", data },
    { type: "UploadedMetricRestored", data },
  ]);
});

metrics("decodes names from the path", async () => {
  assert.is((await put("shop/uploaded-metrics/50%25%20%2F%20day%20+%201", archived)).status, 200);
  const [last] = (await application.facts(appStream(1))).slice(-1);
  assert.equal(last, { type: "UploadedMetricArchived", data: { appId: 1, eventCategory: "50% / day + 1" } });
  assert.is((await put("shop/uploaded-metrics/%00", archived)).status, 400);
});

metrics("responds with 404 for a metric that the app never uploaded, 400 for an invalid body", async () => {
  const before = await application.events();
  for (const path of ["shop/uploaded-metrics/Visits", "shop/uploaded-metrics/calls", "other/uploaded-metrics/visits"]) {
    assert.is(outcomeOf(await put(path, archived)), "404 UPLOADED_METRIC_NOT_FOUND", path);
  }
  assert.is((await put("shop/uploaded-metrics/visits", { archived: "true" })).status, 400);
  assert.equal(await application.events(), before);
});

metrics.run();
