import express from "express";
import { Registry } from "prom-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startingApp } from "../../../infra/composition/http-apps.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import type { Listener } from "../../../infra/http/server/listeners.ts";
import { bindPort, orPortError } from "../../../infra/process/bind-port.ts";
import { contextPath } from "../../../read-api/prediction/context-route.ts";
import { clientOf } from "../../support/raw-client.ts";
import { problemOf } from "../../support/short-faults.ts";

const test = suite("the bound port");
const json = { "Content-Type": "application/json" };
const anywhere = { host: "127.0.0.1", port: 0 };
const starting = (listener?: Listener) => startingApp(readConfig({}), new Registry(), listener);

test("is alive but not ready until an app serves, which gets the requests that have come meanwhile", async () => {
  const server = await bindPort(starting(), anywhere);
  const client = clientOf(server.port, false);
  const early = client("POST", "/aBcD", { headers: json, body: { sent: "early" } });
  const alive = await client("GET", "/livez");
  assert.equal([alive.status, alive.json], [200, { status: "alive" }]);
  const unready = await client("GET", "/readyz?verbose");
  assert.equal(
    [unready.status, unready.json],
    [503, { status: "not ready", checks: { start: { ok: false, detail: "not done yet" } } }],
  );

  const app = createHttpApp();
  app.post("/aBcD", express.json(), (request, response) => response.json(request.body));
  server.serve(app);
  const served = await early;
  assert.equal([served.status, served.json], [200, { sent: "early" }]);
  assert.is(served.headers["content-security-policy"], undefined, "the app that starts has set no header");
  assert.equal((await client("POST", "/aBcD", { headers: json, body: { sent: "later" } })).json, { sent: "later" });
  await server.close(AbortSignal.timeout(1_000));
  await server.close(AbortSignal.timeout(1_000));
});

test("refuses requests that wait when it is closed before an app serves", async () => {
  const server = await bindPort(starting(), anywhere);
  const client = clientOf(server.port);
  const early = client("GET", "/aBcD");
  const call = client("POST", contextPath, { headers: json, body: {} });
  await client("GET", "/livez");
  await server.close(AbortSignal.timeout(1_000));
  const refused = await early;
  assert.equal(problemOf(refused), { status: 503, code: "STARTING", errors: [] });
  assert.is(refused.headers["retry-after"], "1");
  const { status, json: body } = await call;
  const { error } = body as { readonly error: { readonly code: string } };
  assert.equal([status, error.code], [503, "SERVING_UNAVAILABLE"], "in the shape of the route");
});

test("is refused to other processes, with the variable to change", async () => {
  const held = await bindPort(starting(), anywhere);
  assert.is(
    await messageOf(bindPort(starting(), { ...anywhere, port: held.port })),
    `Port ${held.port} is taken. Set PORT to another one, or to 0 for any.`,
  );
  await held.close(AbortSignal.timeout(1_000));
  assert.is(
    await messageOf(bindPort(starting(), { host: "192.0.2.1", port: 0 })),
    'This machine has no address "192.0.2.1". Set HOST to one that it has, or leave it out.',
  );
});

test("names the setting to change when it cannot be bound, and passes other failures on", async () => {
  const messageFor = (code: string, syscall: string) =>
    messageOf(
      orPortError({ host: "inner", port: 80 }, "--port", async () => {
        throw Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
      }),
    );
  const unknown = 'This machine has no address "inner". Set HOST to one that it has, or leave it out.';
  assert.is(await messageFor("ENOTFOUND", "getaddrinfo"), unknown);
  assert.is(await messageFor("EAI_AGAIN", "getaddrinfo"), unknown);
  const refused = "This user may not listen on port 80. Set --port to 1024 or above.";
  assert.is(await messageFor("EACCES", "listen"), refused);
  assert.is(await messageFor("EACCES", "open"), "open EACCES");
});

test("of operations has no more than operations while the application starts, the other port the rest", async () => {
  const statuses = async (listener: Listener) => {
    const server = await bindPort(starting(listener), anywhere, listener);
    const statusOf = async (path: string) => (await clientOf(server.port, false)("GET", path)).status;
    const taken = bindPort(starting(), { ...anywhere, port: server.port }, listener);
    const setting = listener === "operations" ? "OPERATIONS_PORT" : "PORT";
    assert.match(await messageOf(taken), `Set ${setting} to another one`);
    const found = ["/livez", "/readyz", "/metrics", "/version"].map(statusOf);
    // Those of the other port wait for the app, as unknown paths do.
    await Promise.all(listener === "operations" ? found.slice(2) : found.slice(0, 2));
    server.serve(createHttpApp());
    const answered = await Promise.all(found);
    await server.close(AbortSignal.timeout(1_000));
    return answered;
  };
  assert.equal(await statuses("operations"), [404, 404, 200, 200]);
  assert.equal(await statuses("public"), [200, 503, 404, 404]);
});

async function messageOf(failing: Promise<unknown>): Promise<string> {
  return failing.then(
    () => "did not fail",
    (failure: Error) => failure.message,
  );
}

test.run();
