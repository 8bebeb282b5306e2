import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "../../../commands/derived-ids.ts";
import { readFile } from "../../../commands/file-chunks.ts";
import { uploadFileStream } from "../../../domain/streams.ts";
import type { UploadReceived } from "../../../domain/uploads/events.ts";
import { localDateTime } from "../../../domain/values/local-time.ts";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import { createRateLimiter } from "../../../infra/http/routing/rate-limits.ts";
import { shop } from "../../examples/app.ts";
import type { Answer, Call } from "../../support/client.ts";
import { type Form, fieldPart, filePart, form, formOf } from "../../support/multipart-form.ts";
import { startUploads, type UploadApplication } from "./upload-application.ts";

const adSpend = "/self-serve-data/v1/ad-spend/requests";
const metric = "/self-serve-data/v1/metric/requests";
const cost = "/custom-data-upload/v1.0/cost/requests";
const paths = [
  [adSpend, "ad_spend"],
  [metric, "metric"],
  [cost, "legacy_cost"],
] as const;
const mib = 1024 * 1024;

let application: UploadApplication;
const open = async (): Promise<void> => {
  application = await startUploads();
};
const close = (): Promise<void> => application.close();

interface Sending extends Pick<Call, "headers" | "chunksOf"> {
  readonly path?: string;
  readonly token?: string;
}
const send = (sent: Form, { path = adSpend, token = "owner", headers, ...call }: Sending = {}): Promise<Answer> =>
  application.call("POST", path, { token, ...call, body: sent.body, headers: { ...sent.headers, ...headers } });
const outcome = ({ status, json }: Answer): string =>
  `${status} ${(json as { code?: string } | null)?.code ?? ""}`.trim();
const recordOf = ({ json }: Answer) => json as { readonly requestId: string; readonly createdAt: string };

/** The upload as the log has it. */
function receivedIn(answer: Answer): Promise<UploadReceived["data"]> {
  assert.is(answer.status, 200, answer.text);
  return application.received(recordOf(answer).requestId);
}
async function fileIn(answer: Answer): Promise<Buffer> {
  const { requestId, sha256: hash } = await receivedIn(answer);
  return readFile(application.log, uploadFileStream(requestId), hash);
}

const csv = "date,channel,campaign,currency,impressions,clicks,cost\r\n2026-03-01,appier,spring,KRW,1000,10,5.5\r\n";

const posting = suite("POST of an upload");
posting.before(open);
posting.after(close);

for (const [path, kind] of paths) {
  posting(`to ${path} is received, with its bytes in the log, and answers its record`, async () => {
    const answer = await send(form([filePart(csv)]), { path });
    const { requestId } = recordOf(answer);
    const [event, ...others] = await application.events(`upload-${requestId}`);
    const { receivedAt } = await receivedIn(answer);
    const localTime = localDateTime(shop.timezone, Date.parse(receivedAt));
    assert.match(requestId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.is(answer.status, 200);
    assert.equal(answer.json, {
      requestId,
      status: "uploaded",
      prevStatus: null,
      reason: null,
      createdAt: localTime,
      updatedAt: localTime,
    });
    assert.is(answer.headers["x-log-position"], event?.position.commit.toString());
    assert.equal([event?.type, others], ["UploadReceived", []]);
    assert.equal(event?.data, {
      requestId,
      appId: shop.appId,
      kind,
      fileName: "spend.csv",
      bytes: csv.length,
      sha256: sha256(csv).toString("hex"),
      receivedAt,
    });
    assert.equal(event?.metadata.actor, { kind: "token", tokenId: "id-of-owner", role: "owner" });
    assert.is((await fileIn(answer)).toString(), csv);
  });
}

posting("can be read at once, as the same record", async () => {
  for (const [path] of paths) {
    const answer = await send(form([filePart(csv)]), { path });
    const status = await application.call("GET", `${path}/${recordOf(answer).requestId}`, { token: "owner" });
    assert.equal(status.json, answer.json);
    const foreign = await application.call("GET", `${path}/${recordOf(answer).requestId}`, { token: "diner" });
    assert.is(foreign.status, 404);
  }
});

posting("has local times of the caller's app", async () => {
  const answer = await send(form([filePart(csv)]), { token: "diner" });
  const { appId, receivedAt } = await receivedIn(answer);
  assert.is(appId, 2);
  assert.is(recordOf(answer).createdAt, localDateTime("America/New_York", Date.parse(receivedAt)));
});

posting("needs the right to upload, for an app that exists", async () => {
  for (const [path] of paths) {
    const as = async (token: string) => outcome(await send(form([filePart(csv)]), { path, token }));
    assert.equal([await as("in_house"), await as("agency")], ["200", "403 FORBIDDEN"]);
    assert.is(await as("lost"), "404 APP_NOT_FOUND");
  }
});

posting("accepts SERVICE-API-KEY for legacy cost only", async () => {
  const { body, headers } = form([filePart(csv)]);
  const call = { body, headers: { ...headers, Authorization: "SERVICE-API-KEY owner" } };
  const statuses = [];
  for (const [path] of paths) statuses.push((await application.call("POST", path, call)).status);
  assert.equal(statuses, [401, 401, 200]);
});

posting("keeps a gzip, an empty file and one without a name as they are", async () => {
  const gzip = gzipSync(csv);
  assert.equal(await fileIn(await send(form([filePart(gzip, "spend.csv.gz")]), { path: metric })), gzip);
  const empty = await receivedIn(await send(form([filePart("")])));
  assert.equal([empty.bytes, empty.sha256], [0, sha256("").toString("hex")]);
  assert.equal(await application.events(`uploadFile-${empty.requestId}`), []);
  const headers = ['Content-Disposition: form-data; name="x"', "Content-Type: application/octet-stream"];
  const nameless = await send(form([{ headers, content: Buffer.from(csv) }]));
  assert.is((await receivedIn(nameless)).fileName, null);
  assert.is((await fileIn(nameless)).toString(), csv);
});

for (const bytes of [mib - 1, mib, mib + 1]) {
  posting(`of a file ${bytes - mib} bytes beyond 1 MB is received`, async () => {
    const content = Buffer.alloc(bytes, "date,channel\r\n");
    const answer = await send(form([filePart(content)]));
    assert.is((await receivedIn(answer)).bytes, bytes);
    assert.ok((await fileIn(answer)).equals(content));
  });
}

for (const [bytes, status] of [
  [8 * mib - 1, 200],
  [8 * mib, 200],
  [8 * mib + 1, 413],
] as const) {
  posting(`with a body ${bytes - 8 * mib} bytes beyond 8 MiB is ${status}`, async () => {
    const sent = formOf(bytes);
    assert.is(sent.body.length, bytes);
    const before = await application.count("FileChunk");
    const answers = [await send(sent), await send(sent, { chunksOf: 60_000 })];
    assert.equal(
      answers.map((answer) => answer.status),
      [status, status],
    );
    if (status === 413) {
      assert.is(outcome(answers[0] as Answer), "413 PAYLOAD_TOO_LARGE");
      assert.is(await application.count("FileChunk"), before);
    } else for (const answer of answers) assert.ok(sent.body.includes(await fileIn(answer)));
  });
}

posting("of anything but a form with one file is 400 and appends nothing", async () => {
  const before = [await application.count("FileChunk"), await application.count("UploadReceived")];
  const json = { headers: { "Content-Type": "application/json" }, body: Buffer.from("{}") } as unknown as Form;
  assert.is(outcome(await send(json)), "400 NOT_MULTIPART");
  assert.is(outcome(await send(form([fieldPart("file", csv)]))), "400 VALIDATION_FAILED");
  assert.is(outcome(await send(form([filePart(csv), filePart(csv)]))), "400 VALIDATION_FAILED");
  assert.is(outcome(await send({ ...form([]), body: Buffer.from(csv) })), "400 INVALID_MULTIPART");
  assert.equal([await application.count("FileChunk"), await application.count("UploadReceived")], before);
});

posting("is one upload for each request, also of the same file at once", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(form([filePart(csv)]))));
  assert.is(new Set(answers.map((answer) => recordOf(answer).requestId)).size, 10);
  for (const answer of answers) assert.is((await fileIn(answer)).toString(), csv);
});

posting.run();

const refused = suite("an upload that cannot be received now");

refused("is 429 above its limit, before the body is read", async () => {
  const rateLimiter = createRateLimiter({ ...defaultRateLimits, "upload-request": { count: 2, seconds: 60 } }, () => 0);
  const own = await startUploads(rateLimiter);
  try {
    const sent = form([filePart(csv)]);
    const post = (path: string) => own.call("POST", path, { ...sent, token: "owner" });
    assert.is((await post(adSpend)).status, 200);
    assert.is((await post(metric)).status, 200);
    const answer = await post(cost);
    assert.is(outcome(answer), "429 RATE_LIMITED");
    assert.is(answer.headers["retry-after"], "30");
    assert.is(await own.count("UploadReceived"), 2);
  } finally {
    await own.close();
  }
});

refused("is 503 with Retry-After when the event store cannot be reached", async () => {
  const own = await startUploads();
  try {
    await own.stopStore();
    const answer = await own.call("POST", adSpend, { ...form([filePart(csv)]), token: "owner" });
    assert.is(outcome(answer), "503 SERVICE_UNAVAILABLE");
    assert.is(answer.headers["retry-after"], "2");
  } finally {
    await own.close();
  }
});

refused.run();
