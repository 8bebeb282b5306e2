import { createHash, randomBytes } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { adminToken } from "../../support/administration.ts";
import { type HistoryApplication, startHistoryApplication } from "./history-application.ts";

let application: HistoryApplication;
const file = suite("GET /admin/v1/apps/{app_name}/uploads/{requestId}/file");
file.before(async () => {
  application = await startHistoryApplication();
});
file.after(() => application.close());

/** The answer's body, whose bytes are no text. */
async function download(requestId: string, token = application.owner) {
  const response = await fetch(`http://127.0.0.1:${application.port}/admin/v1/apps/shop/uploads/${requestId}/file`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** An upload of these bytes that ended as `events` say. */
async function uploaded(number: number, bytes: Buffer, fileName: string | null, end: "received" | "rejected") {
  const stored = await application.storeFile(uploadId(number), bytes);
  const { received, rejected } = anUpload(number, { fileName, ...stored });
  await application.upload(uploadId(number), ...(end === "rejected" ? [received, rejected] : [received]));
  await application.projected();
}

/** A chunk in the log holds 256 KiB. */
const sizes = [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 8 * 1024 * 1024 - 1];
for (const [index, size] of sizes.entries()) {
  file(`has ${size} bytes as they were sent`, async () => {
    const bytes = randomBytes(size);
    await uploaded(index + 1, bytes, "spend.csv.gz", "received");
    const answer = await download(uploadId(index + 1));
    const hash = createHash("sha256").update(bytes);
    const hex = hash.copy().digest("hex");
    assert.is(answer.status, 200);
    assert.ok(answer.bytes.equals(bytes));
    assert.equal(
      ["content-type", "content-length", "content-disposition", "etag", "repr-digest", "x-content-type-options"].map(
        (name) => answer.headers.get(name),
      ),
      [
        "application/octet-stream",
        String(size),
        'attachment; filename="spend.csv.gz"',
        `"${hex}"`,
        `sha-256=:${hash.digest("base64")}:`,
        "nosniff",
      ],
    );
  });
}

file("is found for an upload that failed, by the owner and the operator", async () => {
  const bytes = Buffer.from("\uFEFFdate;channel\r\n\0\xff", "latin1");
  await uploaded(11, bytes, null, "rejected");
  for (const token of [application.owner, adminToken]) {
    const answer = await download(uploadId(11).toUpperCase(), token);
    assert.is(answer.status, 200);
    assert.ok(answer.bytes.equals(bytes));
    assert.is(answer.headers.get("content-disposition"), `attachment; filename="${uploadId(11)}"`);
  }
});

file("is not found for another app, and for other texts than ids", async () => {
  await uploaded(12, Buffer.from("date"), "spend.csv", "received");
  const codeOf = async (token: string, app: string, id: string) => {
    const { status, json } = await application.call("GET", `/admin/v1/apps/${app}/uploads/${id}/file`, { token });
    return `${status} ${(json as { code: string }).code}`;
  };
  assert.is(await codeOf(application.stranger, "shop", uploadId(12)), "404 APP_NOT_FOUND");
  for (const token of [application.stranger, adminToken]) {
    assert.is(await codeOf(token, "cafe", uploadId(12)), "404 UPLOAD_NOT_FOUND");
  }
  for (const id of [uploadId(99), "00000000-0000-0000-0000-000000000000", "x", "%27", "rows"]) {
    assert.is(await codeOf(application.owner, "shop", id), "404 UPLOAD_NOT_FOUND");
  }
});

file("is 500, and reported to the operator, when the log has another file", async () => {
  const requestId = uploadId(13);
  await application.storeFile(requestId, Buffer.from("date,channel"));
  await application.upload(requestId, anUpload(13).received);
  await application.projected();
  const { status, bytes } = await download(requestId);
  assert.equal([status, (JSON.parse(bytes.toString()) as { code: string }).code], [500, "INTERNAL_ERROR"]);
  assert.equal(application.failures.map(String), [
    `FileDamaged: uploadFile-${requestId} does not hold the file received`,
  ]);
});

file.run();
