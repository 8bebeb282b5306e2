import { once } from "node:events";
import { get } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClientDisconnected } from "../../../../infra/http/request/read-body.ts";
import { streamReply } from "../../../../infra/http/response/stream-response.ts";
import { route } from "../../../../infra/http/routing/route.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

/** The pieces of the next response. */
let pieces: () => AsyncIterable<string>;
const streamed = route({
  docs: testRouteDocs,
  method: "get",
  path: "/streamed",
  operation: "operate",
  handle: async () => ({ kind: "streamed", pieces: pieces(), mediaType: "text/plain", headers: { "X-Told": "yes" } }),
});
const { call, port, failures, close } = await serveRoutes([streamed]);

const test = suite("a response that is computed while it is sent");
test.before.each(() => {
  failures.length = 0;
});
test.after(close);

const ask = (method = "GET") => call(method, "/streamed", { token: "operator" });

test("consists of all its pieces", async () => {
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

test("is a problem when its first piece fails", async () => {
  pieces = () => failing([]);
  const { status, json } = await ask();
  assert.equal([status, (json as { code: string }).code], [500, "INTERNAL_ERROR"]);
  assert.equal(failures.map(String), ["Error: the database is gone"]);
});

test("is cut off when a later piece fails", async () => {
  pieces = () => failing(["first", "second"]);
  const failure = await ask().catch((error: Error & { code?: string }) => error.code);
  assert.is(failure, "ECONNRESET");
  assert.equal(failures.map(String), ["Error: the database is gone"]);
});

test("stops when the client disconnects", async () => {
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
  const sent = get(
    { port: port, host: "127.0.0.1", path: "/streamed", headers: { authorization: "Bearer operator" } },
    (response) => {
      response.once("data", () => sent.destroy());
    },
  );
  sent.on("error", () => {});
  await ended;
  assert.ok(made < 50, `${made} pieces were made for a caller who reads none`);
  assert.equal(failures, []);
});

test("ends its pieces when the client disconnects before the first one", async () => {
  const app = createHttpApp();
  const ended: string[] = [];
  const failure = new Promise<unknown>((resolve) => {
    app.get("/", (request, response) => {
      const pieces = async function* () {
        try {
          sent.destroy();
          await once(response, "close");
          yield "first";
        } finally {
          ended.push("pieces");
        }
      };
      const streaming = streamReply(request, response, { kind: "streamed", pieces: pieces(), mediaType: "text/plain" });
      resolve(streaming.then(String, String));
    });
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const sent = get({ port: server.port, host: "127.0.0.1" }).on("error", () => {});
  assert.equal([await failure, ended], [String(new ClientDisconnected()), ["pieces"]]);
  await server.close(AbortSignal.abort());
});

test("has no body for HEAD", async () => {
  pieces = () => failing(["first"]);
  const { status, text, headers } = await ask("HEAD");
  assert.equal([status, text, headers["x-told"]], [200, "", "yes"]);
  assert.equal(failures, []);
});

test("ends its pieces for HEAD", async () => {
  let hasEnded = false;
  pieces = async function* () {
    try {
      yield* ["first", "second"];
    } finally {
      hasEnded = true;
    }
  };
  assert.equal([(await ask("HEAD")).status, hasEnded], [200, true]);
});

async function* failing(first: readonly string[]): AsyncGenerator<string> {
  yield* first;
  throw new Error("the database is gone");
}

test.run();
