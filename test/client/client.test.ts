import { execFile } from "node:child_process";
import { mock } from "node:test";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type ApiClient,
  ApiRefused,
  type ClientOptions,
  createClient,
  isCertificateRefused,
  PathParameterInvalid,
  pages,
  requestReport,
  required,
  runReport,
  sendUpload,
  uploadFile,
  waitForExport,
} from "../../client/index.ts";
import { type Fetch, retryingFetch } from "../../client/retries.ts";
import { errorOf } from "../infra/event-log/event-log-client.ts";

const run = promisify(execFile);

interface Answered {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const link = { body: { channel: "newsletter" } };

/** A client of a server that answers these, one after the other, and what was sent to it. A text is a lost connection. */
function clientOf(answers: readonly (Answered | string)[], options: Pick<ClientOptions, "retryMs" | "signal"> = {}) {
  const sent: Request[] = [];
  const left = [...answers];
  const client = createClient({
    baseUrl: "http://api.example",
    token: "tl_api_token",
    ...options,
    fetch: async (request) => {
      sent.push(request);
      const answer = left.shift() ?? "no answer is left";
      if (typeof answer === "string") throw new TypeError(answer);
      const { status, body = {}, headers = {} } = answer;
      return new Response(JSON.stringify(body), {
        status,
        headers: { "content-type": "application/json", ...headers },
      });
    },
  });
  return { client, sent };
}

const nameOf = (failure: unknown): string => (failure as Error).name;

const test = suite("the client");

test("sends the token, fills in paths and returns the data", async () => {
  const { client, sent } = clientOf([{ status: 200, body: { data: { userId: "one" } } }]);
  const params = { path: { app_name: "shop", deviceId: "a/b" } };
  const answer = await client.GET("/events/v1/apps/{app_name}/devices/{deviceId}", { params });
  assert.equal(required(answer).data, { userId: "one" });
  assert.equal(
    sent.map(({ url, headers }) => [url, headers.get("authorization"), headers.get("idempotency-key")]),
    [["http://api.example/events/v1/apps/shop/devices/a%2Fb", "Bearer tl_api_token", null]],
  );
});

test("keeps its key when it sends a write again: after 503, 429 and a lost connection", async () => {
  const { client, sent } = clientOf(["connection lost", { status: 503 }, { status: 429 }, { status: 200 }]);
  assert.is((await client.POST("/v1/tracking-links", link)).response.status, 200);
  const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
  assert.match(String(keys[0]), uuid);
  assert.equal(
    keys,
    Array.from({ length: 4 }, () => keys[0]),
  );
  assert.equal(
    await Promise.all(sent.map((one) => one.json())),
    Array.from({ length: 4 }, () => link.body),
  );
});

test("has another key for another write, and takes that of its caller", async () => {
  const { client, sent } = clientOf([{ status: 200 }, { status: 200 }, { status: 200 }]);
  await client.POST("/v1/tracking-links", link);
  await client.call("PATCH", "/v1/tracking-links/summer/routing?idType=shortId", {});
  await client.POST("/v1/tracking-links", { ...link, params: { header: { "Idempotency-Key": "mine" } } });
  const [first = "", second = "", third] = sent.map(({ headers }) => headers.get("idempotency-key") ?? "");
  assert.match(first, uuid);
  assert.match(second, uuid);
  assert.equal([first === second, third], [false, "mine"]);
});

test("retries ingest below the path of a base URL too", async () => {
  const answers = [new Response(null, { status: 503 }), new Response(null, { status: 202 })];
  const send = retryingFetch(async () => answers.shift() as Response, { retryMs: 10_000 });
  const url = "https://shop.example/tl/events/v1/apps/shop/app-events";
  assert.is((await send(new Request(url, { method: "POST", body: "{}" }))).status, 202);
});

test("retries a context call, as a read", async () => {
  const { client, sent } = clientOf([{ status: 503 }, { status: 200 }]);
  const { response } = await client.POST("/entry/inference/v1/context", { body: { userId: "person" } as never });
  assert.equal([response.status, sent.length], [200, 2]);
});

test("does not retry what may have been done: a write without keys", async () => {
  for (const answer of ["connection lost", { status: 503 }]) {
    const { client, sent } = clientOf([answer, { status: 200 }]);
    const put = client.PUT("/admin/v1/model-bundle", { body: { bundleId: "one" } }).catch(() => null);
    await put;
    assert.equal([sent.length, sent[0]?.headers.get("idempotency-key")], [1, null]);
  }
});

test("waits as long as Retry-After says, and gives up when that is longer than its time limit", async () => {
  const limited = { status: 429, headers: { "Retry-After": "1" } };
  const since = performance.now();
  const patient = clientOf([limited, { status: 200 }]);
  assert.is((await patient.client.call("GET", "/v1/tracking-links")).status, 200);
  assert.ok(performance.now() - since >= 990);
  const hurried = clientOf([limited, { status: 200 }], { retryMs: 500 });
  const refusal = await errorOf(hurried.client.call("GET", "/v1/tracking-links"));
  assert.ok(refusal instanceof ApiRefused);
  assert.equal([hurried.sent.length, refusal.status, refusal.retryAfterSeconds], [1, 429, 1]);
});

test("reads Retry-After as a number of seconds, however large, and as a date", () => {
  const soon = new Date(Date.now() + 90_000).toUTCString();
  const secondsOf = (text: string) =>
    new ApiRefused("GET /", 429, "", new Headers({ "Retry-After": text })).retryAfterSeconds;
  const inSeconds = secondsOf(soon) ?? 0;
  assert.ok(inSeconds >= 88 && inSeconds <= 90, String(inSeconds));
  assert.is(secondsOf("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  assert.equal(["7", "9".repeat(400)].map(secondsOf), [7, 999_999_999]);
  assert.equal(["", "-5", "1.5", "soon", "soon GMT", "2026-01-01"].map(secondsOf), [
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});

test("retries by the status of a response, also if the sender has a class of responses of its own", async () => {
  for (const [status, sent] of [
    [200, 1],
    [429, 2],
    [503, 2],
  ] as const) {
    const statuses = [status, 200];
    let count = 0;
    const send = retryingFetch(
      async () => {
        count += 1;
        return { status: statuses.shift(), headers: new Headers(), body: null } as unknown as Response;
      },
      { retryMs: 10_000 },
    );
    assert.equal([(await send(new Request("http://api.example/"))).status, count], [200, sent]);
  }
});

test("closes the connection of a response that it retries", async () => {
  const canceled: string[] = [];
  const responses = ["one", "two"].map(
    (name) => new Response(new ReadableStream({ cancel: () => void canceled.push(name) }), { status: 503 }),
  );
  const send = retryingFetch(async () => responses.shift() ?? new Response("done"), { retryMs: 10_000 });
  assert.is(await (await send(new Request("http://api.example/"))).text(), "done");
  assert.equal(canceled, ["one", "two"]);
});

test("follows no redirect, which would turn a POST into a GET, and names where it leads", async () => {
  const { client, sent } = clientOf([
    { status: 301, headers: { Location: "https://api.example/v1/tracking-links" } },
    { status: 302, headers: { Location: "/login" } },
  ]);
  const refusals = [
    await errorOf(client.POST("/v1/tracking-links", link).then(required)),
    await errorOf(client.call("GET", "/v1/tracking-links")),
  ] as ApiRefused[];
  assert.equal(
    refusals.map(({ status, location, message }) => [status, location, message]),
    [
      [301, "https://api.example/v1/tracking-links", ": 301 redirects to https://api.example/v1/tracking-links"],
      [302, "/login", "GET /v1/tracking-links: 302 redirects to /login"],
    ],
  );
  assert.equal(
    sent.map(({ redirect }) => redirect),
    ["manual", "manual"],
  );
});

test("an address without http:// or https:// is refused at once", () => {
  for (const baseUrl of ["localhost:8080", "api.example", "/api", "", "https://"]) {
    assert.throws(() => createClient({ baseUrl, token: "tl_api_token" }), /it must be an address such as "https:/);
  }
});

test("takes a base URL with a slash at its end", async () => {
  const sent: string[] = [];
  const fetch: Fetch = async ({ url }) => Response.json({}, { status: sent.push(url) && 200 });
  const client = createClient({ baseUrl: "http://api.example/tl//", token: "tl_api_token", fetch });
  await client.GET("/admin/v1/whoami");
  await client.call("GET", "/admin/v1/whoami");
  assert.equal(sent, ["http://api.example/tl/admin/v1/whoami", "http://api.example/tl/admin/v1/whoami"]);
});

test("sends nothing for a parameter that would lead to another path", async () => {
  const { client, sent } = clientOf([]);
  for (const id of ["", ".", "..", "\ud800"]) {
    const refusal = await errorOf(client.GET("/v1/tracking-links/{id}", { params: { path: { id } } }));
    assert.ok(refusal instanceof PathParameterInvalid);
    assert.is(refusal.message, `id cannot be ${JSON.stringify(id)}.`);
  }
  assert.is(sent.length, 0);
});

test("takes no report or upload of another server", async () => {
  const query = { from: "2026-01-01", to: "2026-01-31", groupBys: [], metrics: [], filters: [], sorts: [] };
  for (const body of [{}, null]) {
    const { client } = clientOf([
      { status: 200, body: body as object },
      { status: 200, body: body as object },
    ]);
    assert.is(nameOf(await errorOf(requestReport(client, "actuals", "shop", query))), "SyntaxError");
    const file = { name: "spend.csv", content: "" };
    assert.is(nameOf(await errorOf(sendUpload(client, "ad_spend", file))), "SyntaxError");
  }
});

test("waits for a response as long as its time limit, and for the body longer", async () => {
  const slowBody = async (signal: AbortSignal): Promise<ReadableStream> =>
    new ReadableStream({
      start: async (stream) => {
        await pause(700);
        signal.throwIfAborted();
        stream.enqueue(new TextEncoder().encode("a large report"));
        stream.close();
      },
    });
  const patient = retryingFetch(async ({ signal }) => new Response(await slowBody(signal)), {
    retryMs: 0,
    timeoutMs: 500,
  });
  assert.is(await (await patient(new Request("http://api.example/"))).text(), "a large report");
  const silent: Fetch = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const late = await errorOf(retryingFetch(silent, { retryMs: 0, timeoutMs: 10 })(new Request("http://api.example/")));
  assert.is(nameOf(late), "TimeoutError");
});

test("stops when its caller's signal aborts: before it sends, while it waits for an answer, and between retries", async () => {
  const limited = { status: 429, headers: { "Retry-After": "5" } };
  const early = clientOf([{ status: 200 }]);
  const refusal = await errorOf(early.client.GET("/admin/v1/whoami", { signal: AbortSignal.abort() }));
  assert.equal([nameOf(refusal), early.sent.length], ["AbortError", 0]);

  const waiting = new AbortController();
  const slow = createClient({
    baseUrl: "http://api.example",
    token: "tl_api_token",
    fetch: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const answer = errorOf(slow.GET("/admin/v1/whoami", { signal: waiting.signal }));
  waiting.abort();
  assert.is(nameOf(await answer), "AbortError");

  const retrying = new AbortController();
  const retried = clientOf([limited, { status: 200 }]);
  const attempt = errorOf(retried.client.GET("/admin/v1/whoami", { signal: retrying.signal }));
  while (retried.sent.length === 0) await nextTurn();
  retrying.abort();
  assert.equal([nameOf(await attempt), retried.sent.length], ["AbortError", 1]);
});

test("stops waiting for a task when its own signal aborts, and calls nothing from then on", async () => {
  const running = { status: 200, body: { task: { taskId: "1", status: "RUNNING" } } };
  const processing = { status: 200, body: { requestId: "1", status: "processing" } };
  const unfinished = { status: 202, body: { data: { url: null } }, headers: { "Retry-After": "20" } };
  const report = { from: "2026-01-01", to: "2026-01-31", groupBys: [], metrics: [], filters: [], sorts: [] };
  const exported = { app: "shop", reportId: 7 };
  const waits: readonly (readonly [Answered, calls: number, (client: ApiClient) => Promise<unknown>])[] = [
    [running, 2, (client) => runReport(client, "actuals", "shop", report)],
    [processing, 1, (client) => uploadFile(client, "ad_spend", { name: "spend.csv", content: "" })],
    [unfinished, 1, (client) => waitForExport(client, exported, "csv", () => {}, 60_000)],
  ];
  // No pause ends by itself.
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    for (const [answer, calls, wait] of waits) {
      const stopping = new AbortController();
      const { client, sent } = clientOf(Array(20).fill(answer), { signal: stopping.signal });
      const waited = errorOf(wait(client));
      for (let turns = 0; turns < 100; turns += 1) await nextTurn();
      assert.is(sent.length, calls);
      stopping.abort();
      const refused = await errorOf(client.GET("/admin/v1/whoami"));
      assert.equal([nameOf(await waited), nameOf(refused), sent.length], ["AbortError", "AbortError", calls]);
    }
  } finally {
    mock.timers.reset();
  }
});

test("stops when its caller's signal aborts while it reads a body, also after a collection of garbage", async () => {
  const script = `
    import { createServer } from "node:http";
    import { createClient } from "${new URL("../../client/index.js", import.meta.url).href}";
    const server = createServer((_, response) => {
      response.setHeader("Content-Type", "application/json");
      response.write("{");
      setTimeout(() => response.end("}"), 5_000).unref();
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = "http://127.0.0.1:" + server.address().port;
    const stopping = new AbortController();
    for (const ms of [200, 400]) setTimeout(gc, ms);
    setTimeout(() => stopping.abort(), 600);
    const reading = createClient({ baseUrl, token: "tl_api_token" }).GET("/admin/v1/whoami", { signal: stopping.signal });
    console.log(await reading.then(() => "was read", ({ name }) => name));
    server.closeAllConnections();
    server.close();
  `;
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", script]);
  assert.is(stdout, "AbortError\n");
});

test("throws the problem of a refusal where data is required", async () => {
  const problem = { code: "TRACKING_LINK_NOT_FOUND", status: 404 };
  const { client } = clientOf([{ status: 404, body: problem }]);
  const params = { path: { id: "1" } };
  const refusal = await errorOf(client.GET("/v1/tracking-links/{id}/qr", { params }).then(required));
  assert.ok(refusal instanceof ApiRefused);
  assert.equal([refusal.status, JSON.parse(refusal.body)], [404, problem]);
});

test("says in a refusal what is wrong with which fields, and has the problem", async () => {
  const refusedWith = (body: string) => {
    const { message, problem } = new ApiRefused("POST /reports", 400, body);
    return [message, problem];
  };
  const problem = { code: "VALIDATION_FAILED", status: 400, detail: "Some fields are missing or wrong; see errors." };
  const fault = { loc: ["body", "sorts", 0, "fieldName"], msg: "must be requested", type: "not_allowed" };
  const errors = [{ ...fault, loc: ["body", "from"], msg: "must be a date" }, fault];
  assert.equal(refusedWith(JSON.stringify({ ...problem, errors })), [
    "POST /reports: 400 VALIDATION_FAILED: body.from must be a date; body.sorts.0.fieldName must be requested",
    { ...problem, errors },
  ]);
  assert.equal(refusedWith(JSON.stringify(problem)), [
    "POST /reports: 400 VALIDATION_FAILED: Some fields are missing or wrong; see errors.",
    problem,
  ]);
  for (const other of ["", "<html>", "null", '{"error":"x"}', '{"code":"A","detail":"B","errors":[1]}']) {
    assert.equal(refusedWith(other), [`POST /reports: 400 ${other}`, null]);
  }
});

test("throws a refusal also when a proxy answers without a body", async () => {
  const client = createClient({
    ...{ baseUrl: "http://api.example", token: "tl_api_token" },
    fetch: async () => new Response(null, { status: 502, headers: { "content-length": "0" } }),
  });
  const refusal = await errorOf(client.GET("/admin/v1/whoami").then(required));
  assert.ok(refusal instanceof ApiRefused);
  assert.equal([refusal.status, refusal.body], [502, ""]);
});

test("reads every page of a list, by number and by the last item", async () => {
  const counted = (totalCount: number) => ({ status: 200, body: { data: { totalCount, trackingLinks: [] } } });
  const byNumber = clientOf([counted(201), counted(201), counted(201)]);
  const range = { from: "2026-01-01", to: "2026-01-31" };
  const starts: number[] = [];
  for await (const _ of pages(({ skip, size }) => {
    starts.push(skip);
    return byNumber.client.GET("/v1/tracking-links", { params: { query: { ...range, skip, size } } });
  })) {
    // Every page is counted by where it starts.
  }
  assert.equal(starts, [0, 100, 200]);

  const after = (hasNext: boolean, last: string) => ({
    status: 200,
    body: { data: [], pagination: { hasNext, after: last } },
  });
  const byItem = clientOf([after(true, "7"), after(false, "9")]);
  const read: (string | undefined)[] = [];
  for await (const page of pages(({ size, after }) => {
    read.push(after);
    const query = { size, ...(after === undefined ? {} : { after }) };
    return byItem.client.GET("/admin/v1/apps/{app_name}/audit", { params: { path: { app_name: "shop" }, query } });
  })) {
    assert.equal(page.data, []);
  }
  assert.equal(read, [undefined, "7"]);
});

test("reads every page of a response with several lists, until the longest of them ends", async () => {
  const history = (replaced: boolean, replacedBy: boolean) => ({
    status: 200,
    body: { data: {}, pagination: { replaced: { hasNext: replaced }, replacedBy: { hasNext: replacedBy } } },
  });
  const { client } = clientOf([history(true, true), history(false, true), history(false, false)]);
  const starts: number[] = [];
  const path = { app_name: "shop", requestId: "3f0c4a54-8d0f-5a3e-9b1e-2f1f0a6f7c11" };
  for await (const _ of pages((query) => {
    starts.push(query.skip);
    return client.GET("/admin/v1/apps/{app_name}/uploads/{requestId}/history", { params: { path, query } });
  })) {
    // Every page is counted by where it starts.
  }
  assert.equal(starts, [0, 100, 200]);
});

test("reads no page twice when a response names itself as the next one", async () => {
  const { client, sent } = clientOf(
    Array(9).fill({ status: 200, body: { pagination: { hasNext: true, after: "7" } } }),
  );
  const readAll = async () => {
    for await (const _ of pages(() =>
      client.call("GET", "/pages").then(async (response) => ({ response, data: await response.json() })),
    )) {
      // The first page may be another one.
    }
  };
  assert.is(nameOf(await errorOf(readAll())), "SyntaxError");
  assert.is(sent.length, 2);
});

test("tells refused certificates from lost connections", () => {
  const isRefused = (code: string) =>
    isCertificateRefused(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) }));
  const ofCertificates = [
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ];
  const ofConnections = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "UND_ERR_SOCKET"];
  assert.equal([...ofCertificates, ...ofConnections].filter(isRefused), ofCertificates);
});

test.run();
