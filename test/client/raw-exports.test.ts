import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type ApiClient,
  ApiRefused,
  createClient,
  ExportUnfinished,
  requestExport,
  waitForExport,
} from "../../client/index.ts";
import { errorOf } from "../infra/event-log/event-log-client.ts";
import { type ExportServer, refuseWith, reportId, startExportServer } from "./export-server.ts";

const query = {
  dateRange: { start: "2026-03-01 00:00:00", end: "2026-03-02 23:59:59" },
  events: ["app_installs"],
  properties: ["event_id"],
};

let server: ExportServer;
let api: ApiClient;
const test = suite("requests of exports");
test.before.each(async () => {
  server = await startExportServer(Buffer.alloc(0));
  api = createClient({ baseUrl: server.baseUrl, token: "tl_api_token", retryMs: 0 });
});
test.after.each(() => server.stop());

function answerJson(...answers: readonly unknown[]): void {
  const left = [...answers];
  server.answer = (_request, response) => void response.end(JSON.stringify(left.shift()));
}

const waited = (format: "csv" | "parquet" = "csv", onWait = (): void => {}, maxWaitMs = 5_000) =>
  waitForExport(api, { app: "the shop", reportId }, format, onWait, maxWaitMs);

test("each is a request of its own, with a key of its own", async () => {
  const answer = { at: 1, data: { reportID: reportId } };
  answerJson(answer, answer);
  const requested = { app: "the shop", reportId };
  assert.equal(await requestExport(api, "the shop", "tracking-link", query), requested);
  assert.equal(await requestExport(api, "the shop", "app", query), requested);
  assert.equal(server.requests, [
    "POST /log-export/api/v3/apps/the%20shop/tracking-link/request",
    "POST /log-export/api/v3/apps/the%20shop/app/request",
  ]);
  const keys = server.headers.map((headers) => String(headers["idempotency-key"]));
  assert.ok(keys.every((key) => /^[0-9a-f-]{36}$/.test(key)));
  assert.is(new Set(keys).size, 2);
  assert.is(server.headers[0]?.authorization, "Bearer tl_api_token");
});

test("a request is sent once, whatever the response", async () => {
  for (const [status, headers, seconds] of [
    [503, {}, null],
    [429, { "Retry-After": "3600" }, 3_600],
  ] as const) {
    server.answer = refuseWith(status, headers);
    const refusal = await errorOf(requestExport(api, "shop", "app", query));
    assert.ok(refusal instanceof ApiRefused);
    assert.equal([refusal.status, refusal.retryAfterSeconds], [status, seconds]);
  }
  assert.is(server.requests.length, 2);
});

test("its status is polled until there is an address", async () => {
  const answers = [null, null, "http://files.example/1?signature=a"];
  server.answer = (_request, response) => {
    const url = answers.shift();
    response.writeHead(url === null ? 202 : 200, { "Retry-After": "0" }).end(JSON.stringify({ data: { url } }));
  };
  let pauses = 0;
  const url = await waited("csv", () => {
    pauses += 1;
  });
  assert.equal([url, pauses, server.requests.length], ["http://files.example/1?signature=a", 2, 3]);
});

test("an address is that of the format", async () => {
  answerJson({ data: { url: "http://files.example/1?signature=a" } });
  assert.is(await waited("parquet"), "http://files.example/1?signature=a&format=parquet");
});

test("waiting has a time limit", async () => {
  server.answer = (_request, response) =>
    void response.writeHead(202, { "Retry-After": "3600" }).end('{"data":{"url":null}}');
  const failure = await errorOf(waited("csv", undefined, 50));
  assert.ok(failure instanceof ExportUnfinished);
});

test("responses of other servers are refused", async () => {
  answerJson({}, null, { data: { reportID: "7" } }, { data: {} }, { data: { url: "file:///etc/passwd" } }, []);
  for (let answer = 0; answer < 3; answer += 1) {
    assert.instance(await errorOf(requestExport(api, "shop", "app", query)), SyntaxError);
  }
  for (let answer = 0; answer < 3; answer += 1) assert.instance(await errorOf(waited()), SyntaxError);
});

test.run();
