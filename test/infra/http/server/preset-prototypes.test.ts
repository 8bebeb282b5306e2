import type express from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { clientOf } from "../../../support/raw-client.ts";

/** What `GET /` is answered with: whose the request and the response are. */
function appNamed(name: string, app = createHttpApp()): express.Express {
  app.set("name", name);
  app.get("/", (request, response) => {
    response.json([request.app.get("name"), response.app.get("name"), request.query]);
  });
  return app;
}

/** How many objects get another prototype while `action` runs. */
async function prototypesChanged(action: () => Promise<unknown>): Promise<number> {
  const { setPrototypeOf } = Object;
  let changed = 0;
  Object.setPrototypeOf = <Value>(value: Value, prototype: object | null): Value => {
    if (Object.getPrototypeOf(value) !== prototype) changed += 1;
    return setPrototypeOf(value, prototype);
  };
  try {
    await action();
  } finally {
    Object.setPrototypeOf = setPrototypeOf;
  }
  return changed;
}

const presets = suite("requests and responses");

presets("belong to the app that serves them, before and after another takes its place", async () => {
  const server = await listen(appNamed("first"), { host: "127.0.0.1", port: 0 });
  const call = clientOf(server.port);
  const answers = [(await call("GET", "/?a=1")).json];
  server.serve(appNamed("second"));
  answers.push((await call("GET", "/")).json);
  await server.close(AbortSignal.timeout(1_000));
  assert.equal(answers, [
    ["first", "first", { a: "1" }],
    ["second", "second", {}],
  ]);
});

presets("come with the prototypes that Express would give them", async () => {
  const app = appNamed("ours");
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const call = () => clientOf(server.port)("GET", "/");
  assert.is(await prototypesChanged(call), 0);
  server.serve((request, response) => app(request, response));
  server.serve(appNamed("another"));
  server.serve((request, response) => app(request, response));
  assert.is(await prototypesChanged(call), 2, "of an app that is not served itself, Express changes both");
  await server.close(AbortSignal.timeout(1_000));
});

presets.run();
