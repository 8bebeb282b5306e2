import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "../../../commands/derived-ids.ts";
import { readFile } from "../../../commands/file-chunks.ts";
import { uploadRoutes } from "../../../commands/uploads/routes.ts";
import { uploadFileStream, uploadStream } from "../../../domain/streams.ts";
import type { UploadReceived } from "../../../domain/uploads/events.ts";
import { kindNames, uploadKinds } from "../../../domain/uploads/upload-kinds.ts";
import { localDateTime } from "../../../domain/values/local-time.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { listUploads, uploadOf } from "../../../projections/uploads/queries.ts";
import { uploadReadRoutes } from "../../../read-api/uploads/routes.ts";
import { shop } from "../../examples/app.ts";
import { type Application, startApplication } from "../../support/application.ts";
import { type Form, fieldPart, filePart, form, formOf } from "../../support/multipart-form.ts";
import type { Answer, Call } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";

const adSpend = "/self-serve-data/v1/ad-spend/requests";
const metric = "/self-serve-data/v1/metric/requests";
const kinds = kindNames.map((kind) => [uploadKinds[kind].path, kind] as const);
const mib = 1024 * 1024;
const csv = "date,channel,campaign,currency,impressions,clicks,cost\r\n2026-03-01,appier,spring,KRW,1000,10,5.5\r\n";

let application: Application;
const open = async (): Promise<void> => {
  application = await startApplication({
    projections: [uploadsProjection],
    routes: ({ log, readModel }) => [
      ...uploadRoutes({ log }),
      ...uploadReadRoutes({
        listUploads: (list) => listUploads(readModel(), list),
        uploadOf: (appId, requestId) => uploadOf(readModel(), appId, requestId),
        uploadedFile: async () => Buffer.alloc(0),
      }),
    ],
  });
};
const close = (): Promise<void> => application.close();

interface Sending extends Pick<Call, "headers" | "chunksOf"> {
  readonly path?: string;
}
const post = (sent: Form, { path = adSpend, headers = {}, ...call }: Sending = {}): Promise<Answer> =>
  application.call("POST", path, {
    token: "owner",
    ...call,
    body: sent.body,
    headers: { ...sent.headers, ...headers },
  });
const recordIn = ({ json }: Answer) => json as { readonly requestId: string; readonly createdAt: string };
/** The receipt in the log. */
async function receivedBy(answer: Answer): Promise<UploadReceived["data"]> {
  const [event] = await application.events(uploadStream(recordIn(answer).requestId));
  return event?.data as UploadReceived["data"];
}
async function fileOf(answer: Answer): Promise<Buffer> {
  const { requestId, sha256: hash } = await receivedBy(answer);
  return readFile(application.log, uploadFileStream(requestId), hash);
}
/** Numbers of receipts and of chunks of files in the whole log. */
async function counts(): Promise<readonly number[]> {
  const types = (await application.events()).map(({ type }) => type);
  return ["UploadReceived", "FileChunk"].map((name) => types.filter((type) => type === name).length);
}

const posting = suite("POST of an upload");
posting.before(open);
posting.after(close);

for (const [path, kind] of kinds) {
  posting(`to ${path} stores the file and its receipt, and responds with the record`, async () => {
    const answer = await post(form([filePart(csv)]), { path });
    const { requestId } = recordIn(answer);
    const [event, ...others] = await application.events(uploadStream(requestId));
    const { receivedAt } = await receivedBy(answer);
    const time = localDateTime(shop.timezone, Date.parse(receivedAt));
    const progress = { requestId, status: "uploaded", prevStatus: null, reason: null };
    assert.equal([answer.status, answer.json], [200, { ...progress, createdAt: time, updatedAt: time }]);
    assert.is(answer.headers["x-log-position"], event?.position.commit.toString());
    const file = { fileName: "spend.csv", bytes: csv.length, sha256: sha256(csv).toString("hex") };
    assert.equal([event?.type, others], ["UploadReceived", []]);
    assert.equal(event?.data, { requestId, appId: shop.appId, kind, ...file, receivedAt });
    assert.equal(event?.metadata.actor, { kind: "token", tokenId: "id-of-owner", role: "owner" });
    assert.is((await fileOf(answer)).toString(), csv);
    assert.equal((await application.call("GET", `${path}/${requestId}`, { token: "owner" })).json, answer.json);
  });
}

posting("accepts SERVICE-API-KEY for legacy cost only, as GET of the record does", async () => {
  const statuses = [];
  for (const [path] of kinds) {
    const { body, headers } = form([filePart(csv)]);
    const authorization = { Authorization: "SERVICE-API-KEY owner" };
    const posted = await application.call("POST", path, { body, headers: { ...headers, ...authorization } });
    statuses.push([posted.status, (await application.call("GET", `${path}/none`, { headers: authorization })).status]);
  }
  assert.equal(
    statuses,
    kindNames.map((kind) => (kind === "legacy_cost" ? [200, 404] : [401, 401])),
  );
});

posting("has one rate limit for all kinds", () => {
  const limits = uploadRoutes({ log: application.log }).map(({ limit }) => limit);
  assert.equal(
    limits,
    kindNames.map(() => "upload-request"),
  );
});

posting("stores a gzip, an empty file and one without a name as sent", async () => {
  const gzip = gzipSync(csv);
  assert.equal(await fileOf(await post(form([filePart(gzip, "spend.csv.gz")]))), gzip);
  const empty = await receivedBy(await post(form([filePart("")])));
  assert.equal([empty.bytes, empty.sha256], [0, sha256("").toString("hex")]);
  const headers = ['Content-Disposition: form-data; name="x"', "Content-Type: application/octet-stream"];
  const nameless = await post(form([{ headers, content: Buffer.from(csv) }]));
  assert.equal([(await receivedBy(nameless)).fileName, (await fileOf(nameless)).toString()], [null, csv]);
});

for (const [bytes, status] of [
  [8 * mib, 200],
  [8 * mib + 1, 413],
] as const) {
  posting(`with a body of ${bytes} bytes is ${status}, with and without a Content-Length`, async () => {
    const [sent, before] = [formOf(bytes), await counts()];
    for (const answer of [await post(sent), await post(sent, { chunksOf: 60_000 })]) {
      assert.is(answer.status, status);
      if (status === 200) assert.ok(sent.body.includes(await fileOf(answer)));
    }
    if (status === 413) assert.equal(await counts(), before);
  });
}

posting("of anything but a form with one file is 400 and appends nothing", async () => {
  const before = await counts();
  const json = { headers: { "Content-Type": "application/json" }, body: Buffer.from("{}") } as unknown as Form;
  for (const [sent, expected] of [
    [json, "400 NOT_MULTIPART"],
    [form([fieldPart("file", csv)]), "400 VALIDATION_FAILED"],
    [form([filePart(csv), filePart(csv)]), "400 VALIDATION_FAILED"],
    [{ ...form([]), body: Buffer.from(csv) }, "400 INVALID_MULTIPART"],
  ] as const) {
    assert.is(outcomeOf(await post(sent)), expected);
  }
  assert.equal(await counts(), before);
});

posting("is one upload a request, also of the same file at the same time", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(form([filePart(csv)]))));
  assert.is(new Set(answers.map((answer) => recordIn(answer).requestId)).size, 10);
});

const keyed = suite("an upload with an Idempotency-Key");
keyed.before(open);
keyed.after(close);

let keys = 0;
const freshKey = () => {
  keys += 1;
  return { headers: { "Idempotency-Key": `key ${keys}` } };
};

keyed("is one upload with one response, whatever the boundary and the other fields of the form", async () => {
  const [key, before] = [freshKey(), await counts()];
  const { text } = await post(form([filePart(csv)]), key);
  for (const again of [
    form([filePart(csv)], "another-boundary"),
    form([fieldPart("x", "y"), filePart(csv, "spend.csv", "upload")]),
  ]) {
    const repeated = await post(again, key);
    assert.equal([repeated.text, repeated.headers["idempotent-replayed"]], [text, "true"]);
  }
  assert.equal(
    await counts(),
    before.map((count) => count + 1),
  );
});

keyed("is 409 with other bytes, another name, or on another path", async () => {
  const key = freshKey();
  await post(form([filePart(csv)]), key);
  for (const [other, path] of [
    [form([filePart(`${csv}x`)]), adSpend],
    [form([filePart(csv, "other.csv")]), adSpend],
    [form([filePart(csv)]), metric],
  ] as const) {
    assert.is(outcomeOf(await post(other, { ...key, path })), "409 IDEMPOTENCY_KEY_REUSED");
  }
});

for (const [what, prefix, index] of [
  ["the third chunk", "uploadFile-", 2],
  ["the receipt", "upload-", 0],
  // The first append under the key claims it.
  ["the response", "idempotency-", 1],
] as const) {
  keyed(`that is interrupted before ${what} is 503; repeated, it is whole and as of the first receipt`, async () => {
    const [key, content, before] = [freshKey(), Buffer.alloc(3 * 256 * 1024 + 7, csv), await counts()];
    let appends = 0;
    application.circumstances.beforeAppend = (stream) => {
      if (stream.startsWith(prefix) && appends++ === index) throw new EventLogUnavailable("the network is down");
    };
    assert.is(outcomeOf(await post(form([filePart(content)]), key)), "503 SERVICE_UNAVAILABLE");
    const receipts = (await counts())[0];
    const repeatedAt = Date.now();
    const again = await post(form([filePart(content)]), key);
    const { receivedAt } = await receivedBy(again);
    assert.ok(Date.parse(receivedAt) <= repeatedAt);
    assert.ok((await fileOf(again)).equals(content));
    assert.is(recordIn(again).createdAt, localDateTime(shop.timezone, Date.parse(receivedAt)));
    const [receiptsBefore = 0, chunksBefore = 0] = before;
    assert.is(receipts, receiptsBefore + (prefix === "idempotency-" ? 1 : 0));
    assert.equal(await counts(), [receiptsBefore + 1, chunksBefore + 4]);
  });
}

posting.run();
keyed.run();
