import { createHash } from "node:crypto";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm/node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  codeOf,
  completedOf,
  type Downloads,
  fileOf,
  type Got,
  pagesOf,
  pathOf,
  reportId,
  startDownloads,
} from "./downloads.ts";

let downloads: Downloads;
const download = suite("a download");
download.before(async () => {
  downloads = await startDownloads();
});
download.before.each(async () => {
  const pages = pagesOf(25, 4);
  const now = new Date("2026-03-31T12:00:00.000Z");
  Object.assign(downloads.stored, { pages, found: await completedOf(pages), now });
  Object.assign(downloads.read, { pages: 0, ended: 0 });
  downloads.read.begun.length = 0;
});
download.after(() => downloads.close());

const shown = [
  ...["content-type", "content-length", "content-disposition", "content-range", "accept-ranges", "etag"],
  ...["repr-digest", "x-row-count", "cache-control", "content-language"],
];
const headersOf = ({ headers }: Got): readonly unknown[] => shown.map((name) => headers[name]);
const whole = (): Buffer => fileOf(downloads.stored.pages);
const expectedHeaders = (file: Buffer, length: number, range?: string): readonly unknown[] => {
  const hash = createHash("sha256").update(file);
  return [
    "text/csv; charset=utf-8; header=present",
    String(length),
    `attachment; filename="export-${reportId}.csv"`,
    range,
    "bytes",
    `"${hash.copy().digest("hex")}"`,
    `sha-256=:${hash.digest("base64")}:`,
    "25",
    "no-store",
    "en",
  ];
};

download("is the whole file, with its length, hash and number of rows", async () => {
  for (const again of [false, true]) {
    const answer = await downloads.get();
    assert.is(answer.status, 200, again ? "again" : "once");
    assert.ok(answer.bytes.equals(whole()));
    assert.equal(headersOf(answer), expectedHeaders(whole(), whole().length));
  }
  assert.is(downloads.read.ended, 2);
});

download("is recorded before it begins; HEAD is not", async () => {
  const before = downloads.recorded.length;
  await downloads.get({}, downloads.path, "HEAD");
  await downloads.get();
  assert.equal(downloads.recorded.slice(before), [reportId]);
});

download("has the same headers for HEAD, and reads nothing, with any range", async () => {
  for (const headers of [{}, { Range: "bytes=5-9" }, { Range: "bytes=999999-" }]) {
    const answer = await downloads.get(headers, downloads.path, "HEAD");
    assert.equal([answer.status, answer.bytes.length], [200, 0]);
    assert.equal(headersOf(answer), expectedHeaders(whole(), whole().length));
  }
  assert.equal(downloads.read.begun, []);
});

download("is the header row without rows", async () => {
  downloads.stored.pages = [];
  downloads.stored.found = await completedOf([]);
  const answer = await downloads.get();
  assert.equal([answer.status, answer.bytes.toString()], [200, "event_id,device_id,event_value\r\n"]);
  assert.is(answer.headers["x-row-count"], "0");
});

for (const [text, bytesOf] of [
  ["bytes=100-299", () => [100, 299]],
  ["bytes=40-", (size: number) => [40, size - 1]],
  ["bytes=-200", (size: number) => [size - 200, size - 1]],
] as const) {
  download(`of ${text} is those bytes`, async () => {
    const file = whole();
    const [first = 0, last = 0] = bytesOf(file.length);
    const answer = await downloads.get({ Range: text });
    assert.is(answer.status, 206);
    assert.ok(answer.bytes.equals(file.subarray(first, last + 1)));
    const range = `bytes ${first}-${last}/${file.length}`;
    assert.equal(headersOf(answer), expectedHeaders(file, last - first + 1, range));
    assert.is(downloads.read.ended, downloads.read.begun.length);
  });
}

download("of first bytes reads no more than the pages that hold them", async () => {
  await downloads.get({ Range: "bytes=0-40" });
  assert.ok(downloads.read.pages <= 1, `${downloads.read.pages} pages`);
});

download("of several ranges is the whole file", async () => {
  const answer = await downloads.get({ Range: "bytes=0-1,5-6" });
  assert.equal([answer.status, answer.bytes.equals(whole())], [200, true]);
});

download("of a range behind the end is 416 with the length of the file", async () => {
  const size = whole().length;
  const answer = await downloads.get({ Range: `bytes=${size}-` });
  assert.equal([codeOf(answer), answer.headers["content-range"]], ["416 RANGE_NOT_SATISFIABLE", `bytes */${size}`]);
  assert.equal(downloads.read.begun, []);
});

download("is resumed when If-Range names the file, and whole when it names another", async () => {
  const { etag } = (await downloads.get({}, downloads.path, "HEAD")).headers;
  const same = await downloads.get({ Range: "bytes=100-", "If-Range": String(etag) });
  assert.equal([same.status, same.bytes.equals(whole().subarray(100))], [206, true]);
  const other = await downloads.get({ Range: "bytes=100-", "If-Range": '"other"' });
  assert.equal([other.status, other.bytes.equals(whole())], [200, true]);
});

download("is a whole Parquet file with format=parquet", async () => {
  const answer = await downloads.get({ Range: "bytes=0-9" }, `${downloads.path}&format=parquet`);
  const { "content-type": type, "content-disposition": disposition, "accept-ranges": accepted } = answer.headers;
  assert.equal(
    [answer.status, type, disposition, accepted, answer.headers["x-row-count"]],
    [200, "application/vnd.apache.parquet", `attachment; filename="export-${reportId}.parquet"`, "none", "25"],
  );
  const rows = tableFromIPC(readParquet(answer.bytes).intoIPCStream()).toArray();
  assert.is(rows.length, 25);
  const head = await downloads.get({}, `${downloads.path}&format=parquet`, "HEAD");
  assert.equal([head.status, head.headers["content-type"], head.bytes.length], [200, type, 0]);
});

download("accepts format=csv and unknown parameters", async () => {
  for (const more of ["&format=csv", "&utm_source=mail", "&Format=parquet&__proto__=1"]) {
    assert.is((await downloads.get({}, downloads.path + more, "HEAD")).status, 200);
  }
});

download("of another format is 400, after the signature was checked", async () => {
  for (const more of ["&format=xlsx", "&format=", "&format=CSV", "&format=csv&format=csv"]) {
    assert.is(codeOf(await downloads.get({}, downloads.path + more)), "400 VALIDATION_FAILED");
  }
  assert.is(codeOf(await downloads.get({}, `${downloads.path}0&format=xlsx`)), "403 SIGNATURE_INVALID");
});

download("is 403 for a URL that was changed", async () => {
  const { path } = downloads;
  const [, expires = ""] = /expires=(\d+)/.exec(path) ?? [];
  const [, signature = ""] = /signature=(\w+)/.exec(path) ?? [];
  const changed = [
    path.replace(String(reportId), String(reportId + 1)),
    path.replace(expires, String(Number(expires) + 1)),
    ...[`${path}&signature=${signature}`, `${path}&expires=${expires}`, path.replace("signature=", "Signature=")],
    ...[path.replace("&signature=", "&signature[]="), path.replace(/&signature=.*/, ""), path.replace(/\?.*/, "")],
  ];
  for (const text of changed) assert.is(codeOf(await downloads.get({}, text)), "403 SIGNATURE_INVALID", text);
  assert.equal(downloads.read.begun, []);
});

download("is possible until the URL expires", async () => {
  downloads.stored.now = new Date("2026-03-31T13:00:00.000Z");
  assert.is((await downloads.get()).status, 200);
  downloads.stored.now = new Date("2026-03-31T13:00:01.000Z");
  assert.is(codeOf(await downloads.get()), "403 EXPORT_URL_EXPIRED");
});

download("is 404 without a file", async () => {
  assert.is(codeOf(await downloads.get({}, pathOf(reportId + 1))), "404 NOT_FOUND");
  const { reportId: id, appId, position, query, now } = await completedOf([]);
  for (const end of [{ stage: "requested" }, { stage: "failed", failure: "facts_behind" }] as const) {
    downloads.stored.found = { reportId: id, appId, position, query, now, ...end };
    assert.is(codeOf(await downloads.get()), "404 NOT_FOUND");
  }
});

download("is 405 for other methods, before the URL is checked", async () => {
  for (const method of ["POST", "OPTIONS"]) {
    const answer = await downloads.get({}, downloads.path.replace(/\?.*/, ""), method);
    assert.equal([codeOf(answer), answer.headers.allow], ["405 METHOD_NOT_ALLOWED", "GET, HEAD"]);
  }
});

download.run();
