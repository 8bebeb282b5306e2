import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createUnseenWrites } from "../../../../infra/http/routing/read-your-writes.ts";
import { appRoute, type ReadModelGroup, refuse, reply, route } from "../../../../infra/http/routing/route.ts";
import { servedShop } from "../../../support/application.ts";
import type { Answer } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";
import { errorsOf } from "../../../support/short-faults.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

/** Waits for the read model, which has passed position 100. */
const waits: (readonly [ReadModelGroup, bigint, number])[] = [];
const write = (position: bigint) => ({ position: { commit: position, prepare: position - 1n } });
const missing = refuse({ status: 404, code: "TRACKING_LINK_NOT_FOUND" });
const missing400 = refuse({ status: 400, code: "TRACKING_LINK_NOT_FOUND" });
let passedUpTo = 100n;
/** How far it gets while a caller waits; null: no further. */
let passedAtLast: bigint | null = null;
const common = { operation: "operate" } as const;
const make = (path: string, position: bigint) => {
  const handle = async () => reply(201, {}, { ...write(position), visibleIn: "control" as const });
  return route({ docs: testRouteDocs, ...common, method: "post", path, handle });
};
const routes = [
  route({
    docs: testRouteDocs,
    ...common,
    method: "get",
    path: "/read",
    reads: "facts",
    handle: async () => reply(200, {}),
  }),
  route({
    docs: testRouteDocs,
    ...common,
    method: "get",
    path: "/missing",
    reads: "control",
    handle: async () => missing,
  }),
  route({
    docs: testRouteDocs,
    ...common,
    method: "get",
    path: "/missing-400",
    reads: "control",
    handle: async () => missing400,
  }),
  route({ docs: testRouteDocs, ...common, method: "get", path: "/other", handle: async () => reply(200, {}) }),
  route({
    docs: testRouteDocs,
    ...common,
    method: "post",
    path: "/write",
    handle: async () => reply(202, {}, write(7n)),
  }),
  route({
    docs: testRouteDocs,
    ...common,
    method: "post",
    path: "/ingest",
    handle: async () => reply(202, {}, { ...write(104n), laterVisibleIn: "control" }),
  }),
  make("/make", 101n),
  make("/make-later", 102n),
  make("/make-last", 103n),
  route({
    docs: testRouteDocs,
    ...common,
    method: "delete",
    path: "/make",
    handle: async () => reply(204, null, write(8n)),
  }),
];
const { call, close } = await serveRoutes(routes, {
  waitForPosition: async (group, position, timeoutMs) => {
    waits.push([group, position, timeoutMs]);
    if (position === 101n) throw new Error("the database has gone");
    return position <= ((timeoutMs > 0 ? passedAtLast : null) ?? passedUpTo);
  },
});
const client = (method: string, path: string, headers = {}): Promise<Answer> =>
  call(method, path, { token: "operator", headers });

const positions = suite("log positions");
positions.before.each(() => {
  waits.length = 0;
});
positions.after(close);

for (const path of ["/missing", "/missing-400"]) {
  positions(`of a write beyond its read model turn NOT_FOUND of ${path} into READ_MODEL_BEHIND`, async () => {
    const find = async () => ((await client("GET", path)).json as { readonly code: string }).code;
    const before = await find();
    await client("POST", "/make-later");
    const behind = await find();
    passedUpTo = 102n;
    const after = await find();
    passedUpTo = 100n;
    assert.equal([before, behind, after], ["TRACKING_LINK_NOT_FOUND", "READ_MODEL_BEHIND", "TRACKING_LINK_NOT_FOUND"]);
  });
}

positions("of two such writes count by the later one, whatever the order of responses", async () => {
  await client("POST", "/make-last");
  await client("POST", "/make-later");
  passedUpTo = 102n;
  const { code } = (await client("GET", "/missing")).json as { readonly code: string };
  passedUpTo = 100n;
  assert.is(code, "READ_MODEL_BEHIND");
});

positions("of writes are waited for in their own read models, a later one also when it came meanwhile", async () => {
  const caller = { kind: "operator" } as const;
  const unseen = createUnseenWrites(async (_group, position) => {
    unseen.add(caller, "facts", position + 1n);
    return true;
  });
  unseen.add(caller, "facts", 7n);
  assert.is(unseen.untilSeen(caller, "control", 0), null);
  assert.is(await unseen.untilSeen(caller, "facts", 0)?.(), true);
  assert.is.not(unseen.untilSeen(caller, "facts", 0), null);
});

positions("of a write that is seen within 2 s are waited for, and the read is repeated", async () => {
  await client("POST", "/make-last");
  waits.length = 0;
  passedAtLast = 103n;
  const { code } = (await client("GET", "/missing")).json as { readonly code: string };
  passedAtLast = null;
  assert.is(code, "TRACKING_LINK_NOT_FOUND");
  assert.equal(waits, [["control", 103n, 2_000]]);
});

positions("of a write that does not wait turn NOT_FOUND into READ_MODEL_BEHIND, too", async () => {
  passedUpTo = 103n;
  const { status } = await client("POST", "/ingest");
  assert.equal([status, waits], [202, []]);
  const code = async () => ((await client("GET", "/missing")).json as { readonly code: string }).code;
  const behind = await code();
  passedUpTo = 104n;
  const after = await code();
  passedUpTo = 100n;
  assert.equal([behind, after], ["READ_MODEL_BEHIND", "TRACKING_LINK_NOT_FOUND"]);
});

const read = (position: string, path = "/read"): Promise<Answer> => client("GET", path, { "X-Min-Position": position });

positions("that are waited for are those of the app, too", async () => {
  let isRenamed = false;
  const shown = appRoute({
    docs: testRouteDocs,
    ...{ operation: "administer_app", method: "get", path: "/apps/:app_name", reads: "control" },
    handle: async ({ app }) => reply(200, { companyName: app.companyName }),
  });
  const served = await serveRoutes([shown], {
    findAppById: async () => (isRenamed ? { ...servedShop, companyName: "New" } : servedShop),
    waitForPosition: async () => {
      isRenamed = true;
      return true;
    },
  });
  const { json } = await served.call("GET", "/apps/shop", { token: "operator", headers: { "X-Min-Position": "1" } });
  await served.close();
  assert.equal(json, { companyName: "New" });
});

positions("of writes are in X-Log-Position", async () => {
  const answer = await client("POST", "/write");
  assert.equal([answer.status, answer.headers["x-log-position"], waits], [202, "7", []]);
});

positions("are waited for by writes that must be visible, which succeed even if the wait fails", async () => {
  const answer = await client("POST", "/make");
  assert.equal([answer.status, answer.headers["x-log-position"]], [201, "101"]);
  assert.equal(waits, [["control", 101n, 2_000]]);
});

positions("are in responses without a body too", async () => {
  const { status, headers, text } = await client("DELETE", "/make");
  assert.equal([status, headers["x-log-position"], headers["content-type"], text], [204, "8", undefined, ""]);
});

positions("in X-Min-Position are waited for in the read models of the route", async () => {
  assert.is((await read("100")).status, 200);
  assert.equal(waits, [["facts", 100n, 2_000]]);
});

positions("that the read models have not reached are 503", async () => {
  const response = await read("5000");
  assert.equal([outcomeOf(response), response.headers["retry-after"]], ["503 READ_MODEL_BEHIND", "1"]);
});

positions("in X-Min-Position go up to the greatest of the log", async () => {
  const response = await read("9223372036854775807");
  assert.is(outcomeOf(response), "503 READ_MODEL_BEHIND");
  assert.equal(waits, [["facts", 2n ** 63n - 1n, 2_000]]);
});

positions("that are malformed are 400", async () => {
  for (const position of ["", "-1", "1.5", "abc", "9223372036854775808", "1".repeat(30)]) {
    const refused = await read(position);
    assert.is(refused.status, 400, position);
    assert.equal(errorsOf(refused), [["header", "X-Min-Position", "wrong_format"]]);
  }
  assert.equal(waits, []);
});

positions("are ignored by routes without read models", async () => {
  assert.is((await read("abc", "/other")).status, 200);
});

positions.run();
