import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClientDisconnected } from "../../../../infra/http/request/read-body.ts";
import { addErrorHandlers } from "../../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../../infra/http/server/http-server.ts";
import { type Client, clientOf } from "../../../support/raw-client.ts";

const failures: unknown[] = [];
let thrown: Error;
let server: HttpServer;
let call: Client;

const test = suite("what a plain handler throws");
test.before(async () => {
  const app = createHttpApp();
  app.get("/", async () => {
    throw thrown;
  });
  addErrorHandlers(app, { failed: (failure) => failures.push(failure) }, [
    "/dataspec/v2/apps/:app_name/values",
    "/dataspec/v2/apps/:app_name/revenue-report/fields",
    "/dataspec/v2/apps/:app_name/revenue-report/events",
    "/dataspec/v2/apps/:app_name/retention-report/fields",
  ]);
  server = await listen(app, { host: "127.0.0.1", port: 0 });
  call = clientOf(server.port);
});
test.before.each(() => {
  failures.length = 0;
});

test("becomes 500 without details, and is reported to `failed`", async () => {
  thrown = new Error("a secret");
  const { status, json, text } = await call("GET", "/");
  assert.equal([status, (json as { code: string }).code], [500, "INTERNAL_ERROR"]);
  assert.not.match(text, /secret/);
  assert.equal(failures, [thrown]);
});

test("is not reported when the client has disconnected", async () => {
  thrown = new ClientDisconnected();
  const answer = await call("GET", "/").catch(({ code }) => code);
  assert.equal([answer, failures], ["ECONNRESET", []]);
});

test.run();

const unknown = suite("an unknown path");
unknown.after(() => server.close(AbortSignal.timeout(1_000)));

const detailOf = async (path: string) => {
  const { status, json } = await call("GET", path);
  const { code, detail } = json as { code: string; detail: string };
  assert.equal([status, code], [404, "NOT_FOUND"]);
  return detail;
};
unknown("suggests a path that differs by one misspelled segment", async () => {
  const app = "/dataspec/v2/apps/shop";
  for (const [misspelled, meant] of [
    [`${app}/retension-report/fields`, `${app}/retention-report/fields`],
    [`${app}/revenue-report/event`, `${app}/revenue-report/events`],
    ["/dataspec/v2/app/shop/values", `${app}/values`],
  ] as const) {
    assert.is(await detailOf(misspelled), `There is no such path; did you mean ${meant}? GET /docs lists every path.`);
  }
  for (const other of [`${app}/cohorts/fields`, `${app}/revenu-report/event`, app]) {
    assert.is(
      await detailOf(other),
      "There is no such resource. Check the path and the host; GET /docs of the API lists every path.",
      other,
    );
  }
});

unknown("of more than 256 characters is compared with none", async () => {
  const path = (length: number) => `/dataspec/v2/apps/${"x".repeat(length - "/dataspec/v2/apps//value".length)}/value`;
  assert.match(await detailOf(path(255)), "did you mean");
  assert.match(await detailOf(path(256)), "did you mean");
  assert.is(
    await detailOf(path(257)),
    "There is no such resource. Check the path and the host; GET /docs of the API lists every path.",
  );
});

unknown.run();
