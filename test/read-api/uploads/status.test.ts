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
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
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

status("gives the reason of a failure in the caller's language, columns and numbers as they are", async () => {
  const headers = { "Accept-Language": "ko" };
  const answer = await application.call("GET", `${metric}/${uploadId(2)}`, { token: owner, headers });
  assert.is(answer.headers["content-language"], "ko");
  assert.equal(JSON.parse((answer.json as { reason: string }).reason), {
    date: ["2행: YYYY-MM-DD 형식의 실제 날짜여야 합니다"],
    channel: ["3행: 비워 둘 수 없습니다"],
  });
});

status("gives the reason of a failure as JSON text", async () => {
  const { reason, ...rest } = (await get(`${metric}/${uploadId(2)}`)).json as { reason: string };
  assert.equal(JSON.parse(reason), reasonOf(badDate, "en"));
  assert.equal(rest, {
    requestId: uploadId(2),
    status: "failed",
    prevStatus: "uploaded",
    createdAt: "2026-04-01T09:00:00",
    updatedAt: "2026-04-01T09:00:04",
  });
});

status("has no status before and no reason while the file was only received", async () => {
  assert.equal((await get(`${cost}/${uploadId(3)}`)).json, {
    requestId: uploadId(3),
    status: "uploaded",
    prevStatus: null,
    reason: null,
    createdAt: "2026-04-01T09:00:00",
    updatedAt: "2026-04-01T09:00:00",
  });
});

status("is there under the path of its kind alone", async () => {
  const found = [];
  for (const number of [1, 2, 3]) {
    for (const path of [adSpend, metric, cost]) found.push((await get(`${path}/${uploadId(number)}`)).status);
  }
  assert.equal(found, [200, 404, 404, 404, 200, 404, 404, 404, 200]);
});

status("is not there for another app, for no upload, for what is no id", async () => {
  const ids = [uploadId(4), uploadId(9), "1", "not-a-uuid", `${uploadId(1)}0`, `x${uploadId(1).slice(1)}`, "%27"];
  for (const path of [adSpend, metric, cost]) {
    for (const id of ids) assert.is(await outcome(`${path}/${id}`), "404 UPLOAD_NOT_FOUND", `${path}/${id}`);
  }
  assert.is((await get(`${adSpend}/${uploadId(1).toUpperCase()}`)).status, 200);
});

status("is told to owners and in-house marketers alone", async () => {
  const tokenOf = async (grant: object): Promise<string> => {
    const { json } = await application.call("POST", "/admin/v1/apps/shop/tokens", { token: adminToken, body: grant });
    return (json as { data: { token: { secret: string } } }).data.token.secret;
  };
  const outcomes = [];
  for (const grant of [
    { kind: "api", role: "in_house_marketer" },
    { kind: "api", role: "agency" },
    { kind: "api", role: "media_partner", channels: ["kakao"] },
    { kind: "link" },
    { kind: "sdk" },
    { kind: "web" },
  ]) {
    outcomes.push(await outcome(`${adSpend}/${uploadId(1)}`, await tokenOf(grant)));
  }
  const forbidden = "403 FORBIDDEN";
  assert.equal(outcomes, ["200", forbidden, forbidden, forbidden, forbidden, forbidden]);
  assert.is(await outcome(`${adSpend}/${uploadId(1)}`, adminToken), forbidden);
  assert.is((await application.call("GET", `${adSpend}/${uploadId(1)}`)).status, 401);
});

status("of legacy cost takes SERVICE-API-KEY for Bearer, the others do not", async () => {
  const headers = { Authorization: `SERVICE-API-KEY ${owner}` };
  const statusOf = async (path: string, number: number): Promise<number> =>
    (await application.call("GET", `${path}/${uploadId(number)}`, { headers })).status;
  assert.equal([await statusOf(adSpend, 1), await statusOf(metric, 2), await statusOf(cost, 3)], [401, 401, 200]);
});

status.run();
