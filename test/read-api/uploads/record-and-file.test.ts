import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reasonOf } from "../../../infra/http/i18n/messages.ts";
import type { UploadRow } from "../../../projections/uploads/queries.ts";
import { uploadReadRoutes } from "../../../read-api/uploads/routes.ts";
import { badDate, uploadId } from "../../examples/uploads.ts";
import { serveRoutes } from "../../support/served-routes.ts";
import { problemOf } from "../../support/short-faults.ts";

const adSpend = "/self-serve-data/v1/ad-spend/requests";
const metric = "/self-serve-data/v1/metric/requests";
const cost = "/custom-data-upload/v1.0/cost/requests";
/** Neither UTF-8 nor CSV. */
const bytes = Buffer.from("\xfeffdate;channel\r\n\0\xff", "latin1");
const sha256 = createHash("sha256").update(bytes);
const hex = sha256.copy().digest("hex");

const received: UploadRow = {
  ...{ requestId: uploadId(1), appId: 1, kind: "ad_spend", status: "uploaded", prevStatus: null, faults: null },
  ...{ fileName: "spend.csv.gz", fileBytes: BigInt(bytes.length), sha256: hex, rowCount: null },
  ...{ receivedAt: new Date("2026-04-01T00:00:00.400Z"), updatedAt: new Date("2026-04-01T00:00:00.400Z") },
  ...{ position: 100n, ingestedPosition: null },
};
const failed: UploadRow = {
  ...{ ...received, requestId: uploadId(2), kind: "metric", status: "failed", prevStatus: "uploaded", faults: badDate },
  ...{ fileName: null, updatedAt: new Date("2026-04-01T00:00:04.999Z") },
};
const uploads = [received, failed, { ...received, requestId: uploadId(3), appId: 2 }];

const application = await serveRoutes(
  uploadReadRoutes({
    listUploads: async () => ({ rows: [], totalCount: 0 }),
    uploadOf: async (appId, id) => uploads.find((row) => row.appId === appId && row.requestId === id) ?? null,
    uploadedFile: async () => bytes,
  }),
);
const get = (path: string, headers = {}) => application.call("GET", path, { token: "owner", headers });
const notFound = { status: 404, code: "UPLOAD_NOT_FOUND", errors: [] };
const unknownIds = [uploadId(3), uploadId(9), "1", `${uploadId(1)}0`, `x${uploadId(1).slice(1)}`, "%27"];

const record = suite("the record of an upload");

record("has its status and local times of the app", async () => {
  const { status, json } = await get(`${adSpend}/${uploadId(1).toUpperCase()}`);
  const progress = { requestId: uploadId(1), status: "uploaded", prevStatus: null, reason: null };
  const times = { createdAt: "2026-04-01T09:00:00", updatedAt: "2026-04-01T09:00:00" };
  assert.equal({ status, json }, { status: 200, json: { ...progress, ...times } });
});

record("has the reason of a failure as JSON text in the caller's language", async () => {
  for (const language of ["en", "ko"] as const) {
    const { json } = await get(`${metric}/${uploadId(2)}`, { "Accept-Language": language });
    const { reason, ...rest } = json as { reason: string };
    const progress = { requestId: uploadId(2), status: "failed", prevStatus: "uploaded" };
    assert.equal(rest, { ...progress, createdAt: "2026-04-01T09:00:00", updatedAt: "2026-04-01T09:00:04" });
    assert.equal(JSON.parse(reason), reasonOf(badDate, language));
  }
});

record("is found under the path of its kind only", async () => {
  const statuses = await Promise.all(
    [adSpend, metric, cost].map(async (path) => (await get(`${path}/${uploadId(2)}`)).status),
  );
  assert.equal(statuses, [404, 200, 404]);
});

record("is not found for another app, nor by an unknown or invalid id", async () => {
  for (const id of unknownIds) assert.equal(problemOf(await get(`${adSpend}/${id}`)), notFound, id);
});

const file = suite("the file of an upload");
file.after(() => application.close());

file("is not sent again to a client that has it", async () => {
  const path = `/admin/v1/apps/shop/uploads/${uploadId(1)}/file`;
  const headers = { authorization: "Bearer owner", "if-none-match": `"${hex}"` };
  const response = await fetch(`http://127.0.0.1:${application.port}${path}`, { headers });
  const sent = ["etag", "content-disposition"].map((name) => response.headers.get(name));
  assert.equal([response.status, await response.text(), ...sent], [304, "", `"${hex}"`, null]);
});

for (const [what, id, name] of [
  ["with the name it was sent with", uploadId(1), "spend.csv.gz"],
  ["named by its id when it was sent without a name, also when it was rejected", uploadId(2), uploadId(2)],
] as const) {
  file(`is an attachment of the bytes as sent, ${what}`, async () => {
    const response = await fetch(
      `http://127.0.0.1:${application.port}/admin/v1/apps/shop/uploads/${id.toUpperCase()}/file`,
      {
        headers: { authorization: "Bearer owner" },
      },
    );
    const names = ["content-type", "content-length", "content-disposition", "etag", "repr-digest"];
    const headers = names.map((header) => response.headers.get(header));
    assert.equal([response.status, Buffer.from(await response.arrayBuffer())], [200, bytes]);
    assert.equal(headers, [
      ...["application/octet-stream", String(bytes.length), `attachment; filename="${name}"`, `"${hex}"`],
      `sha-256=:${sha256.copy().digest("base64")}:`,
    ]);
  });
}

file("is served as documented", async () => {
  assert.is((await get(`/admin/v1/apps/shop/uploads/${uploadId(1)}/file`)).text, bytes.toString());
});

file("is not found for another app, nor by an unknown or invalid id", async () => {
  for (const id of unknownIds) {
    assert.equal(problemOf(await get(`/admin/v1/apps/shop/uploads/${id}/file`)), notFound, id);
  }
});

record.run();
file.run();
