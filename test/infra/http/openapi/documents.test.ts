import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localDate } from "../../../../domain/values/local-time.ts";
import { openApiDocument } from "../../../../infra/http/openapi/document.ts";
import { mountDocuments } from "../../../../infra/http/openapi/mount-documents.ts";
import { escaped } from "../../../../infra/http/response/html-text.ts";
import { createHttpApp, securityHeaders } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../../infra/http/server/http-server.ts";
import { document, served } from "../../../support/documented-responses.ts";
import { clientOf } from "../../../support/raw-client.ts";

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

let server: HttpServer;
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "Accept-Encoding": "identity", ...headers } });

const test = suite("the documents of the API");
test.before(async () => {
  const app = createHttpApp();
  app.use(securityHeaders());
  mountDocuments(app, served, "0.0.0");
  server = await listen(app, { host: "127.0.0.1", port: 0 });
});
test.after(() => server.close(AbortSignal.timeout(1_000)));

test("are served without a token", async () => {
  const client = clientOf(server.port);
  const answer = await client("GET", "/openapi.json");
  assert.is(answer.headers["content-type"], "application/json; charset=utf-8");
  // That of the test process may be of yesterday.
  const today = localDate("UTC", Date.parse(answer.headers.date ?? ""));
  assert.equal(answer.json, JSON.parse(JSON.stringify(openApiDocument(served, "0.0.0", today))));
  assert.is((await client("GET", "/docs")).status, 200);
});

for (const path of ["/openapi.json", "/docs"]) {
  test(`are not sent again to who has them: ${path}`, async () => {
    const first = await get(path);
    const etag = first.headers.get("etag") ?? "";
    const bytes = Buffer.from(await first.arrayBuffer());
    assert.match(etag, /^"[\w-]{27}"$/);
    for (const known of [etag, `W/${etag}`, "*"]) assert.is((await get(path, { "If-None-Match": known })).status, 304);
    const sizes = [];
    for (const length of [1_023, 1_024, 1_025]) {
      const answer = await get(path, { "If-None-Match": etag.padStart(length, ",") });
      sizes.push((await answer.arrayBuffer()).byteLength);
    }
    assert.equal(sizes, [0, 0, bytes.length]);
    const other = await get(path, { "If-None-Match": '"other"' });
    assert.equal([other.status, Buffer.from(await other.arrayBuffer())], [200, bytes]);
  });

  test(`have a weak tag when they are compressed: ${path}`, async () => {
    const answered = async (headers: Record<string, string>) => {
      const response = await get(path, headers);
      await response.arrayBuffer();
      return [response.status, response.headers.get("etag")] as const;
    };
    const [, etag] = await answered({});
    const weak = `W/${etag}`;
    for (const encoding of ["br", "gzip"]) {
      assert.equal(await answered({ "Accept-Encoding": encoding }), [200, weak]);
      assert.equal(await answered({ "Accept-Encoding": encoding, "If-None-Match": weak }), [304, weak]);
    }
  });

  test(`are compressed for who can read that: ${path}`, async () => {
    const plain = await (await get(path)).text();
    const compressed = async (accepted: string) => {
      const answer = await get(path, { "Accept-Encoding": accepted });
      const [encoding, vary] = [answer.headers.get("content-encoding"), answer.headers.get("vary")];
      return { shown: [encoding, vary, await answer.text()], bytes: Number(answer.headers.get("content-length")) };
    };
    const gzip = await compressed("gzip");
    assert.equal(gzip.shown, ["gzip", "Accept-Encoding", plain]);
    assert.ok(gzip.bytes < plain.length / 4);
    const brotli = await compressed("gzip, deflate, br");
    assert.equal(brotli.shown, ["br", "Accept-Encoding", plain]);
    assert.ok(brotli.bytes < 0.8 * gzip.bytes);
    assert.equal(await compressed("gzip, br;q=0"), gzip);
    assert.equal((await compressed("zstd")).shown, [null, "Accept-Encoding", plain]);
    const [shorter, longest, longer] = await Promise.all(
      [1_023, 1_024, 1_025].map((length) => compressed("br".padStart(length, ","))),
    );
    assert.equal([shorter, longest, longer?.shown], [brotli, brotli, [null, "Accept-Encoding", plain]]);
  });
}

test("have an example of each problem on the page", async () => {
  const html = await (await get("/docs")).text();
  const examples = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) => content?.["application/problem+json"]?.example ?? []),
  );
  assert.ok(examples.length > 500);
  const missing = examples.filter((example) => !html.includes(escaped(JSON.stringify(example, null, 2))));
  assert.equal(missing, []);
});

test("have every operation on the page, with its calls, and no external resources", async () => {
  const html = await (await get("/docs")).text();
  const missing = operations.flatMap(({ operationId, summary, "x-codeSamples": samples }) => [
    ...(html.includes(`<section id="${operationId}"`) && html.includes(escaped(summary)) ? [] : [operationId]),
    ...samples.filter(({ source }) => !html.includes(firstLineOf(source))).map(({ lang }) => `${operationId} ${lang}`),
  ]);
  assert.equal(missing, []);
  assert.not.match(html, /\b(src|href)="(?!#|openapi\.json)|@import|url\(/);
});

test("allow the script and the style of the page only by their hashes", async () => {
  const answer = await get("/docs");
  const html = await answer.text();
  const hash = (tag: string): string => {
    const [, source = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html) ?? [];
    return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
  };
  assert.is(
    answer.headers.get("content-security-policy"),
    `default-src 'none'; style-src ${hash("style")}; script-src ${hash("script")}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});

function firstLineOf(source: string): string {
  const [line = ""] = source.split("\n");
  return escaped(line);
}

test.run();
