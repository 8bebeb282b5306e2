import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { UploadEvent } from "../../../domain/uploads/events.ts";
import { reasonOf } from "../../../infra/http/i18n/messages.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { uploadOf } from "../../../projections/uploads/queries.ts";
import { uploadReadRoutes } from "../../../read-api/uploads/routes.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { anUpload, badDate, uploadId } from "../../examples/uploads.ts";
import { type Administration, startAdministration } from "../../support/administration.ts";
import { testPostgres } from "../../support/stores.ts";

const adSpend = "/self-serve-data/v1/ad-spend/requests";
const metric = "/self-serve-data/v1/metric/requests";
const cost = "/custom-data-upload/v1.0/cost/requests";
const done = anUpload(1);
const refused = anUpload(2, { kind: "metric" });
const fresh = anUpload(3, { kind: "legacy_cost" });
const foreign = anUpload(4, { appId: 2 });
const log = recordedLog<UploadEvent>([
  done.received,
  done.validated,
  done.ingested,
  done.succeeded,
  refused.received,
  refused.rejected,
  fresh.received,
  foreign.received,
]);

const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
const model = { db, schema: "control" };
let application: Administration;
let owner = "";
const status = suite("GET of an upload's status");
status.before(async () => {
  await db.raw("create schema control");
  await db.transaction((trx) => uploadsProjection.createTables(trx, "control"));
  await db.transaction((trx) => uploadsProjection.apply(trx, "control", log));
  application = await startAdministration({
    routes: uploadReadRoutes({
      uploadOf: (appId, requestId) => uploadOf(model, appId, requestId),
      uploadedFile: async () => Buffer.alloc(0),
    }),
  });
  owner = (await application.registerApp("shop")).tokens.api ?? "";
  await application.registerApp("cafe");
});
status.after(async () => {
  await application.close();
  await db.destroy();
});

const get = (path: string, token = owner) => application.call("GET", path, { token });
const outcome = async (path: string, token = owner): Promise<string> => {
  const { status, json } = await get(path, token);
  return `${status} ${(json as { code?: string }).code ?? ""}`.trim();
};

status("is the record, in the app's local time", async () => {
  const answer = await get(`${adSpend}/${uploadId(1)}`);
  assert.is(answer.status, 200);
  assert.equal(answer.json, {
    requestId: uploadId(1),
    status: "succeeded",
    prevStatus: "ingested",
    reason: null,
    createdAt: "2026-04-01T09:00:00",
    updatedAt: "2026-04-01T09:00:03",
  });
});

status("gives the reason of a failure as JSON text in the caller's language", async () => {
  for (const language of ["en", "ko"] as const) {
    const headers = { "Accept-Language": language };
    const answer = await application.call("GET", `${metric}/${uploadId(2)}`, { token: owner, headers });
    const { reason, ...rest } = answer.json as { reason: string };
    assert.is(answer.headers["content-language"], language);
    assert.equal(JSON.parse(reason), reasonOf(badDate, language));
    assert.equal(rest, {
      requestId: uploadId(2),
      status: "failed",
      prevStatus: "uploaded",
      createdAt: "2026-04-01T09:00:00",
      updatedAt: "2026-04-01T09:00:04",
    });
  }
});

status("has no previous status and no reason while the file was only received", async () => {
  assert.equal((await get(`${cost}/${uploadId(3)}`)).json, {
    requestId: uploadId(3),
    status: "uploaded",
    prevStatus: null,
    reason: null,
    createdAt: "2026-04-01T09:00:00",
    updatedAt: "2026-04-01T09:00:00",
  });
});

status("is found under the path of its kind only", async () => {
  const found = [];
  for (const number of [1, 2, 3]) {
    for (const path of [adSpend, metric, cost]) found.push((await get(`${path}/${uploadId(number)}`)).status);
  }
  assert.equal(found, [200, 404, 404, 404, 200, 404, 404, 404, 200]);
});

status("is not found for another app, for an unknown upload, for other texts than ids", async () => {
  const ids = [uploadId(4), uploadId(9), "1", "not-a-uuid", `${uploadId(1)}0`, `x${uploadId(1).slice(1)}`, "%27"];
  for (const path of [adSpend, metric, cost]) {
    for (const id of ids) assert.is(await outcome(`${path}/${id}`), "404 UPLOAD_NOT_FOUND", `${path}/${id}`);
  }
  assert.is((await get(`${adSpend}/${uploadId(1).toUpperCase()}`)).status, 200);
});

status("of legacy cost accepts SERVICE-API-KEY for Bearer, the others do not", async () => {
  const headers = { Authorization: `SERVICE-API-KEY ${owner}` };
  const statusOf = async (path: string, number: number): Promise<number> =>
    (await application.call("GET", `${path}/${uploadId(number)}`, { headers })).status;
  assert.equal([await statusOf(adSpend, 1), await statusOf(metric, 2), await statusOf(cost, 3)], [401, 401, 200]);
});

status.run();
