import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RawExportRow } from "../../../projections/raw-exports/queries.ts";
import { rawExportReadRoutes } from "../../../read-api/raw-exports/routes.ts";
import { signedUrl } from "../../../read-api/raw-exports/signed-url.ts";
import { shop } from "../../examples/app.ts";
import { otherShop } from "../../support/application.ts";
import { type ServedRoutes, serveRoutes } from "../../support/served-routes.ts";
import { problemOf } from "../../support/short-faults.ts";

const signingKey = "signing-key-of-the-tests-0123456789abcdef";
const now = new Date("2026-03-31T12:00:00.000Z");
const requested = {
  ...({ appId: shop.appId, position: 100n, now } as const),
  query: { type: "app", start: "", end: "", events: [], properties: [], filters: [] },
} as const;
const file = { rows: 0, bytes: 10, sha256: "ab".repeat(32), resumePoints: [] };
const [open, done, behind, broken, ofOther] = [
  120_543_001, 120_543_002, 120_543_003, 120_543_004, 220_543_001,
] as const;
const rows: readonly RawExportRow[] = [
  { ...requested, reportId: open, stage: "requested" },
  { ...requested, reportId: done, stage: "completed", ...file },
  { ...requested, reportId: behind, stage: "failed", failure: "facts_behind" },
  { ...requested, reportId: broken, stage: "failed", failure: "internal_error" },
  { ...requested, appId: otherShop.appId, reportId: ofOther, stage: "completed", ...file },
];

let application: ServedRoutes;
const queried: number[] = [];
const reads: unknown[] = [];
const status = suite("the status of an export");
status.before(async () => {
  application = await serveRoutes(
    rawExportReadRoutes({
      listRawExports: async () => ({ rows: [], totalCount: 0 }),
      rawExportOf: async (reportId) => {
        queried.push(reportId);
        return rows.find((row) => row.reportId === reportId) ?? null;
      },
      recordRead: async (read, { principal }) => void reads.push([read, principal.kind]),
      baseUrl: "https://tl.example",
      signingKey,
      now: () => now,
    }),
  );
});
status.before.each(() => {
  queried.length = 0;
  reads.length = 0;
});
status.after(() => application.close());

const get = (id: number | string, { token = "owner", app = "shop" } = {}) =>
  application.call("GET", `/log-export/api/v3/apps/${app}/request/${id}`, { token });
const notFound = { status: 404, code: "EXPORT_NOT_FOUND", errors: [] };

status("is 202 without a URL while it is unfinished, with the time of the next query", async () => {
  const { status, json, headers } = await get(open);
  assert.equal([status, json, headers["retry-after"]], [202, { data: { url: null } }, "2"]);
  assert.equal(reads, []);
});

status("is 200 with a signed URL once there is a file", async () => {
  const { status, json } = await get(done, { token: "in_house" });
  assert.equal([status, json], [200, { data: { url: signedUrl("https://tl.example", signingKey, done, now) } }]);
  assert.equal(reads, [[{ appId: 1, what: "export_url", reportId: done }, "token"]]);
});

status("is 409 when it has failed, for any reason", async () => {
  for (const id of [behind, broken]) assert.equal(problemOf(await get(id)).code, "EXPORT_FAILED");
});

status("is 404 for an export of another app, under the name of either app", async () => {
  assert.equal(problemOf(await get(ofOther)), notFound);
  assert.equal(problemOf(await get(done, { app: otherShop.name, token: "other_owner" })), notFound);
  assert.is((await get(ofOther, { app: otherShop.name, token: "other_owner" })).status, 200);
});

for (const id of [
  ...["0", "01", `0${done}`, "-1", `-${done}`, "+1", "1.0", `${done}.0`, "1e3", "1.20543002e8", "0x1", "NaN"],
  ...["Infinity", "9007199254740992", "99999999999999999999999999", "1".repeat(300), "abc", "null", "%27"],
  ...[`${done}%20`, `%20${done}`, `${done}%0A`, encodeURIComponent("１２０５４３００２")],
]) {
  status(`is 404 for ${id.slice(0, 40)}, without a query`, async () => {
    assert.equal([problemOf(await get(id)), queried], [notFound, []]);
  });
}

status("is queried up to the largest exact integer", async () => {
  assert.equal([problemOf(await get("9007199254740991")), queried], [notFound, [Number.MAX_SAFE_INTEGER]]);
});

status.run();
