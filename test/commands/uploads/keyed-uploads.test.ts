import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFile } from "../../../commands/file-chunks.ts";
import { uploadFileStream } from "../../../domain/streams.ts";
import { localDateTime } from "../../../domain/values/local-time.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import type { Answer } from "../../support/client.ts";
import { type Form, fieldPart, filePart, form } from "../../support/multipart-form.ts";
import { startUploads, type UploadApplication } from "./upload-application.ts";

const adSpend = "/self-serve-data/v1/ad-spend/requests";
const metric = "/self-serve-data/v1/metric/requests";
const csv = "date,channel,campaign,currency,impressions,clicks,cost\r\n2026-03-01,appier,spring,KRW,1000,10,5.5\r\n";

let application: UploadApplication;
type Key = { readonly "Idempotency-Key": string };
const send = (sent: Form, key: Key, { path = adSpend, token = "owner" } = {}): Promise<Answer> =>
  application.call("POST", path, { token, body: sent.body, headers: { ...sent.headers, ...key } });

let keys = 0;
function freshKey(): Key {
  keys += 1;
  return { "Idempotency-Key": `key ${keys}` };
}
const outcome = ({ status, json }: Answer): string =>
  `${status} ${(json as { code?: string } | null)?.code ?? ""}`.trim();
const seen = ({ status, headers, text }: Answer) => ({ status, text, replayed: headers["idempotent-replayed"] });

const keyed = suite("an upload with an Idempotency-Key");
keyed.before(async () => {
  application = await startUploads();
});
keyed.after(() => application.close());

keyed("is one upload, answered the same, whatever the boundary and the form's other fields", async () => {
  const key = freshKey();
  const first = await send(form([filePart(csv)]), key);
  assert.is(seen(first).replayed, undefined);
  for (const again of [
    form([filePart(csv)]),
    form([filePart(csv)], "another-boundary"),
    form([fieldPart("x", "y"), filePart(csv, "spend.csv", "upload")]),
  ]) {
    assert.equal(seen(await send(again, key)), { status: 200, text: first.text, replayed: "true" });
  }
  assert.is(await application.count("UploadReceived"), 1);
  assert.is(await application.count("FileChunk"), 1);
});

keyed("is 409 with other bytes, another name, or on another path", async () => {
  const key = freshKey();
  const first = await send(form([filePart(csv)]), key);
  assert.is(first.status, 200);
  for (const [other, path] of [
    [form([filePart(`${csv}x`)]), adSpend],
    [form([filePart(csv, "other.csv")]), adSpend],
    [form([filePart(csv)]), metric],
    [form([filePart(csv), filePart(csv)]), adSpend],
  ] as const) {
    assert.is(outcome(await send(other, key, { path })), "409 IDEMPOTENCY_KEY_REUSED");
  }
  assert.is((await send(form([filePart(csv)]), key)).text, first.text);
});

/** Fails the append number `index` to streams with that prefix, and no later one. */
function breakAppend(prefix: string, index: number): void {
  let appends = 0;
  application.circumstances.beforeAppend = (stream) => {
    if (!stream.startsWith(prefix)) return;
    appends += 1;
    if (appends === index + 1) throw new EventLogUnavailable("the network is bad");
  };
}

for (const [what, prefix, index] of [
  ["its third chunk", "uploadFile-", 2],
  ["its receipt", "upload-", 0],
  // The first append under the key claims it.
  ["its answer", "idempotency-", 1],
] as const) {
  keyed(
    `broken off before ${what} is 503, and whole, once and as of its first receipt when it comes again`,
    async () => {
      const key = freshKey();
      const content = Buffer.alloc(3 * 256 * 1024 + 7, csv);
      const before = [await application.count("UploadReceived"), await application.count("FileChunk")] as const;
      breakAppend(prefix, index);
      assert.is(outcome(await send(form([filePart(content)]), key)), "503 SERVICE_UNAVAILABLE");
      const broken = await application.count("UploadReceived");
      const again = await send(form([filePart(content)], "another-boundary"), key);
      assert.is(again.status, 200, again.text);
      const { requestId, createdAt } = again.json as { requestId: string; createdAt: string };
      const { sha256, receivedAt } = await application.received(requestId);
      assert.is(broken, before[0] + (prefix === "idempotency-" ? 1 : 0));
      assert.ok((await readFile(application.log, uploadFileStream(requestId), sha256)).equals(content));
      assert.is(createdAt, localDateTime(shop.timezone, Date.parse(receivedAt)));
      assert.equal(
        [await application.count("UploadReceived"), await application.count("FileChunk")],
        [before[0] + 1, before[1] + 4],
      );
    },
  );
}

keyed.run();
