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
  file(`gives back ${size} bytes bit for bit`, async () => {
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

file("is there of an upload that failed, to the owner and the operator", async () => {
  const bytes = Buffer.from("\uFEFFdate;channel\r\n\0\xff", "latin1");
  await uploaded(11, bytes, null, "rejected");
  for (const token of [application.owner, adminToken]) {
    const answer = await download(uploadId(11).toUpperCase(), token);
    assert.is(answer.status, 200);
    assert.ok(answer.bytes.equals(bytes));
    assert.is(answer.headers.get("content-disposition"), `attachment; filename="${uploadId(11)}"`);
  }
});

file("is shown to nobody else", async () => {
  await uploaded(12, Buffer.from("date"), "spend.csv", "received");
  const path = `/admin/v1/apps/shop/uploads/${uploadId(12)}/file`;
  const codeOf = async (token: string | undefined, at = path) => {
    const { status, json } = await application.call("GET", at, token === undefined ? {} : { token });
    return [status, (json as { code: string }).code];
  };
  const marketer = await application.call("POST", "/admin/v1/apps/shop/tokens", {
    token: adminToken,
    body: { kind: "api", role: "in_house_marketer" },
  });
  assert.equal(await codeOf(undefined), [401, "UNAUTHORIZED"]);
  assert.equal(await codeOf((marketer.json as { data: { token: { secret: string } } }).data.token.secret), [
    403,
    "FORBIDDEN",
  ]);
  assert.equal(await codeOf(application.stranger), [404, "APP_NOT_FOUND"]);
  assert.equal(await codeOf(application.stranger, path.replace("shop", "cafe")), [404, "UPLOAD_NOT_FOUND"]);
  assert.equal(await codeOf(adminToken, path.replace("shop", "cafe")), [404, "UPLOAD_NOT_FOUND"]);
  for (const id of [uploadId(99), "00000000-0000-0000-0000-000000000000", "x", "%27", "rows"]) {
    assert.equal(await codeOf(application.owner, `/admin/v1/apps/shop/uploads/${id}/file`), [404, "UPLOAD_NOT_FOUND"]);
  }
});

file("is refused, and the operator told, when the log holds another file", async () => {
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
