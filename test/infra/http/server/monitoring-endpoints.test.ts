import type { Request, Response } from "express";
import { Registry } from "prom-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRateLimits } from "../../../../infra/config/rate-limits.ts";
import { createRateLimiter } from "../../../../infra/http/routing/rate-limiter.ts";
import { addErrorHandlers } from "../../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { mountMonitoring, type Readiness } from "../../../../infra/http/server/monitoring-endpoints.ts";
import { measureProcess, measureResponses, observed } from "../../../../infra/http/server/response-metrics.ts";
import { type Client, clientOf } from "../../../support/raw-client.ts";

let readiness: Readiness = { ready: true, checks: {} };
let client: Client;
let close: () => Promise<void>;

const operations = suite("monitoring");
operations.before(async () => {
  const registry = new Registry();
  measureProcess(registry);
  const observeResponse = measureResponses(registry);
  const app = createHttpApp();
  app.use("/observed", observed(answerOrFail, "a part", observeResponse));
  mountMonitoring(app, { readiness: () => readiness, version: { version: "1.2.3" }, registry, rateLimiter: null });
  addErrorHandlers(app, { failed: () => {}, observeResponse });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  client = clientOf(server.port);
  close = () => server.close(AbortSignal.timeout(1_000));
});
operations.after(() => close());

operations("serves /livez and /version", async () => {
  assert.equal((await client("GET", "/livez")).json, { status: "alive" });
  const posted = await client("POST", "/livez");
  assert.equal([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
  assert.equal((await client("GET", "/version")).json, { version: "1.2.3" });
});

operations("serves /readyz with the checks that fail", async () => {
  const checks = { postgres: { ok: false, detail: "cannot be reached" }, "event store": { ok: true } };
  readiness = { ready: false, checks };
  const not = await client("GET", "/readyz");
  assert.equal([not.status, not.json], [503, { status: "not ready", checks }]);
  readiness = { ready: true, checks: {} };
  const ready = await client("GET", "/readyz");
  assert.equal([ready.status, ready.json], [200, { status: "ready", checks: {} }]);
});

operations("serves /metrics with event loop, heap, and responses by route and status", async () => {
  await client("GET", "/wp-login.php");
  const { headers, text } = await client("GET", "/metrics");
  assert.match(String(headers["content-type"]), "text/plain");
  assert.match(text, "nodejs_eventloop_lag_seconds");
  assert.match(text, "nodejs_heap_size_used_bytes");
  assert.match(text, 'http_request_duration_seconds_count{route="unknown",method="GET",status="404"} 1');
});

operations("counts the responses of observed handlers, failures included, but no disconnected clients", async () => {
  await client("GET", "/observed/gone").catch(() => {});
  for (const path of ["/observed", "/observed/twice", "/observed/failing"]) await client("GET", path);
  const { text } = await client("GET", "/metrics");
  const counts = [...text.matchAll(/_count\{route="a part",method="GET",status="(\d+)"\} (\d+)/g)];
  assert.equal(
    counts.map(([, status, count]) => [status, count]),
    [
      ["204", "2"],
      ["500", "1"],
    ],
  );
});

operations("limits /metrics by address, and no other path", async () => {
  const limiter = createRateLimiter({ ...defaultRateLimits, anonymous: { count: 3, seconds: 60 } }, () => 0);
  const app = createHttpApp();
  const registry = new Registry();
  mountMonitoring(app, { readiness: () => readiness, version: { version: "1" }, registry, rateLimiter: limiter });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const outcomes = [];
  for (let read = 0; read < 5; read += 1) {
    const { status, headers } = await clientOf(server.port)("GET", "/metrics");
    outcomes.push([status, headers["retry-after"]]);
  }
  assert.equal(outcomes, [...Array(3).fill([200, undefined]), ...Array(2).fill([429, "20"])]);
  for (const path of ["/livez", "/readyz", "/version"]) {
    assert.is((await clientOf(server.port)("GET", path)).status, 200);
  }
  await server.close(AbortSignal.timeout(1_000));
});

operations.run();

async function answerOrFail({ path }: Request, response: Response): Promise<void> {
  if (path === "/failing") throw new Error("nobody knows");
  if (path === "/gone") response.destroy();
  else response.status(204).end();
}
