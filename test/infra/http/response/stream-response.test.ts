import { get } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mountRoutes } from "../../../../infra/http/routing/mount-routes.ts";
import { route } from "../../../../infra/http/routing/route.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../../infra/http/server/http-server.ts";
import { type Client, clientOf } from "../../../support/client.ts";

/** What the next answer is made of. */
let pieces: () => AsyncIterable<string>;
const failures: unknown[] = [];
let server: HttpServer;
let call: Client;

const test = suite("an answer that is made while it is sent");
test.before(async () => {
  const app = createHttpApp();
  const streamed = route({
    method: "get",
    path: "/streamed",
    operation: "operate",
    handle: async () => ({ kind: "streamed", pieces: pieces(), mediaType: "text/plain", headers: { "X-Told": "yes" } }),
  });
  mountRoutes(app, [streamed], {
    authenticate: async () => ({ kind: "operator" }),
    findApp: async () => null,
    findAppById: async () => null,
    operatorConfigured: true,
    passed: async () => true,
    failed: (failure) => failures.push(failure),
  });
  server = await listen(app, { host: "127.0.0.1", port: 0 });
  call = clientOf(server.port);
});
test.before.each(() => {
  failures.length = 0;
});
test.after(() => server.close(AbortSignal.timeout(1_000)));

const ask = (method = "GET") => call(method, "/streamed", { token: "any" });

test("is all its pieces, and keeps the bytes of what is no ASCII", async () => {
  pieces = async function* () {
    yield* ["a,b\r\n", "", "ü,😀\r\n"];
  };
  const { status, text, headers } = await ask();
  assert.equal(
    [status, text, headers["content-type"], headers["x-told"], headers["cache-control"]],
    [200, "a,b\r\nü,😀\r\n", "text/plain", "yes", "no-store"],
  );
});

test("may be empty", async () => {
  pieces = async function* () {};
  const { status, text } = await ask();
  assert.equal([status, text], [200, ""]);
});

test("is an error as any other when its first piece fails", async () => {
  pieces = () => failing([]);
  const { status, json } = await ask();
  assert.equal([status, (json as { code: string }).code], [500, "INTERNAL_ERROR"]);
  assert.equal(failures.map(String), ["Error: the database is gone"]);
});

test("is cut off, so that nobody takes it for whole, when a later piece fails", async () => {
  pieces = () => failing(["first", "second"]);
  const failure = await ask().catch((error: Error & { code?: string }) => error.code);
  assert.is(failure, "ECONNRESET");
  assert.equal(failures.map(String), ["Error: the database is gone"]);
});

test("is made no further when the caller hangs up", async () => {
  let made = 0;
  let tellEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve;
  });
  pieces = async function* () {
    try {
      for (;;) {
        made += 1;
        yield "x".repeat(1024 * 1024);
      }
    } finally {
      tellEnded();
    }
  };
  const sent = get({ port: server.port, host: "127.0.0.1", path: "/streamed" }, (response) => {
    response.once("data", () => sent.destroy());
  });
  sent.on("error", () => {});
  await ended;
  assert.ok(made < 50, `${made} pieces were made for a caller who reads none`);
  assert.equal(failures, []);
});

test("has a head alone for HEAD", async () => {
  pieces = () => failing(["first"]);
  const { status, text, headers } = await ask("HEAD");
  assert.equal([status, text, headers["x-told"]], [200, "", "yes"]);
  assert.equal(failures, []);
});

async function* failing(first: readonly string[]): AsyncGenerator<string> {
  yield* first;
  throw new Error("the database is gone");
}

test.run();
