import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClientDisconnected } from "../../../../infra/http/request/read-body.ts";
import { addErrorHandlers } from "../../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../../infra/http/server/http-server.ts";
import { type Client, clientOf } from "../../../support/client.ts";

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
  addErrorHandlers(app, { failed: (failure) => failures.push(failure) });
  server = await listen(app, { host: "127.0.0.1", port: 0 });
  call = clientOf(server.port);
});
test.before.each(() => {
  failures.length = 0;
});
test.after(() => server.close(AbortSignal.timeout(1_000)));

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
