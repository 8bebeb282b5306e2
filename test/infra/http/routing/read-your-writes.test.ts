import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mountRoutes } from "../../../../infra/http/routing/mount-routes.ts";
import { type ReadModelGroup, refuse, reply, route } from "../../../../infra/http/routing/route.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { type Answer, type Client, clientOf } from "../../../support/client.ts";
import { errorsOf } from "../../../support/faults.ts";

/** A read model that has passed position 100, and what was asked of it. */
const asked: (readonly [ReadModelGroup, bigint, number])[] = [];
const missing = refuse({ status: 404, code: "TRACKING_LINK_NOT_FOUND" });
let passedUpTo = 100n;
let client: Client;
let close: () => Promise<void>;

const positions = suite("positions");
positions.before(async () => {
  const app = createHttpApp();
  const write = (position: bigint) => ({ position: { commit: position, prepare: position - 1n } });
  const routes = [
    route({ method: "get", path: "/read", operation: "operate", reads: "facts", handle: async () => reply(200, {}) }),
    route({ method: "get", path: "/missing", operation: "operate", reads: "control", handle: async () => missing }),
    route({ method: "get", path: "/other", operation: "operate", handle: async () => reply(200, {}) }),
    route({ method: "post", path: "/write", operation: "operate", handle: async () => reply(202, {}, write(7n)) }),
    route({
      method: "post",
      path: "/make",
      operation: "operate",
      handle: async () => reply(201, {}, { ...write(101n), visibleIn: "control" }),
    }),
    route({
      method: "post",
      path: "/make-later",
      operation: "operate",
      handle: async () => reply(201, {}, { ...write(102n), visibleIn: "control" }),
    }),
    route({ method: "delete", path: "/make", operation: "operate", handle: async () => reply(204, null, write(8n)) }),
  ];
  mountRoutes(app, routes, {
    authenticate: async () => ({ kind: "operator" }),
    findApp: async () => null,
    findAppById: async () => null,
    operatorConfigured: true,
    failed: (failure) => {
      throw failure;
    },
    passed: async (group, position, timeoutMs) => {
      asked.push([group, position, timeoutMs]);
      if (position === 101n) throw new Error("the database has gone");
      return position <= passedUpTo;
    },
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  client = clientOf(server.port);
  close = () => server.close(AbortSignal.timeout(1_000));
});
positions.before.each(() => {
  asked.length = 0;
});
positions.after(() => close());

positions("of a write that its read model had not passed make what is not found READ_MODEL_BEHIND", async () => {
  const find = async () => ((await client("GET", "/missing")).json as { readonly code: string }).code;
  const before = await find();
  await client("POST", "/make-later");
  const behind = await find();
  passedUpTo = 102n;
  const after = await find();
  passedUpTo = 100n;
  assert.equal([before, behind, after], ["TRACKING_LINK_NOT_FOUND", "READ_MODEL_BEHIND", "TRACKING_LINK_NOT_FOUND"]);
});

const read = (position: string, path = "/read"): Promise<Answer> =>
  client("GET", path, { headers: { "X-Min-Position": position } });

positions("of what was appended stand in X-Log-Position", async () => {
  const answer = await client("POST", "/write");
  assert.equal([answer.status, answer.headers["x-log-position"], asked], [202, "7", []]);
});

positions("are waited for by writes that must be visible; the answer stands even when nobody can say", async () => {
  const answer = await client("POST", "/make");
  assert.equal([answer.status, answer.headers["x-log-position"]], [201, "101"]);
  assert.equal(asked, [["control", 101n, 2_000]]);
});

positions("come with answers without a body too", async () => {
  const { status, headers, text } = await client("DELETE", "/make");
  assert.equal([status, headers["x-log-position"], headers["content-type"], text], [204, "8", undefined, ""]);
});

positions("that a read asks for are waited for, in the read models that it rests on", async () => {
  assert.is((await read("100")).status, 200);
  assert.equal(asked, [["facts", 100n, 2_000]]);
});

positions("that the read models have not reached are 503", async () => {
  const { status, headers, json } = await read("5000");
  assert.equal([status, headers["retry-after"], (json as { code: string }).code], [503, "1", "READ_MODEL_BEHIND"]);
});

positions("that are none are 400", async () => {
  for (const position of ["", "-1", "1.5", "abc", "9223372036854775808", "1".repeat(30)]) {
    const refused = await read(position);
    assert.is(refused.status, 400, position);
    assert.equal(errorsOf(refused), [["header", "X-Min-Position", "wrong_format"]]);
  }
  assert.equal(asked, []);
});

positions("mean nothing to reads that rest on no read model", async () => {
  assert.is((await read("abc", "/other")).status, 200);
});

positions.run();
