import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { mountRoutes } from "../../../infra/http/routing/mount-routes.ts";
import { addErrorHandlers } from "../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../infra/http/server/http-server.ts";
import type { RawExportRow } from "../../../projections/raw-exports/queries.ts";
import { rawExportReadRoutes } from "../../../read-api/raw-exports/routes.ts";
import { checkSignature, signedUrl } from "../../../read-api/raw-exports/signed-url.ts";
import { shop } from "../../examples/app.ts";
import { type Answer, type Client, clientOf } from "../../support/client.ts";

const signingKey = "signing-key-of-the-tests-0123456789abcdef";
const now = new Date("2026-03-31T12:00:00.000Z");
const asked = {
  appId: shop.appId,
  position: 100n,
  query: { type: "app", start: "", end: "", events: [], properties: [], filters: [] },
  now,
} as const;
const file = { rows: 0, bytes: 10, sha256: "ab".repeat(32), resumePoints: [] };
const [open, done, behind, broken, ofCafe] = [120_543_001, 120_543_002, 120_543_003, 120_543_004, 220_543_001] as const;
const rows: readonly RawExportRow[] = [
  { ...asked, reportId: open, stage: "requested" },
  { ...asked, reportId: done, stage: "completed", ...file },
  { ...asked, reportId: behind, stage: "failed", failure: "facts_behind" },
  { ...asked, reportId: broken, stage: "failed", failure: "internal_error" },
  { ...asked, appId: 2, reportId: ofCafe, stage: "completed", ...file },
];

const ofToken = { kind: "token", tokenKind: "api", appId: shop.appId, tokenId: "token", channels: [] } as const;
const principals: { readonly [token: string]: Principal } = {
  owner: { ...ofToken, role: "owner" },
  inHouse: { ...ofToken, role: "in_house_marketer" },
  agency: { ...ofToken, role: "agency" },
  partner: { ...ofToken, role: "media_partner" },
  link: { ...ofToken, tokenKind: "link", role: null },
  sdk: { ...ofToken, tokenKind: "sdk", role: null },
  web: { ...ofToken, tokenKind: "web", role: null },
  ofCafe: { ...ofToken, appId: 2, role: "owner" },
  operator: { kind: "operator" },
};
const apps = [shop, { ...shop, appId: 2, name: "cafe" }].map((app) => registeredApp(app, "2026-01-01T00:00:00.000Z"));

let server: HttpServer;
let call: Client;
const lookedUp: number[] = [];
const waitedFor: unknown[] = [];
const status = suite("the status of an export");
status.before(async () => {
  const app = createHttpApp();
  const deps = {
    authenticate: async (header: string | undefined) =>
      header === undefined ? ("missing" as const) : (principals[header.replace("Bearer ", "")] ?? ("unknown" as const)),
    findApp: async (name: string) => apps.find((one) => one.name === name) ?? null,
    findAppById: async () => null,
    operatorConfigured: true,
    passed: async (group: string, position: bigint) => {
      waitedFor.push([group, position]);
      return position <= 100n;
    },
    failed: (failure: unknown) => {
      throw failure;
    },
  };
  const routes = rawExportReadRoutes({
    rawExportOf: async (reportId) => {
      lookedUp.push(reportId);
      return rows.find((row) => row.reportId === reportId) ?? null;
    },
    baseUrl: "https://tl.example",
    signingKey,
    now: () => now,
  });
  mountRoutes(app, routes, deps);
  addErrorHandlers(app, deps);
  server = await listen(app, { host: "127.0.0.1", port: 0 });
  call = clientOf(server.port);
});
status.before.each(() => {
  lookedUp.length = 0;
  waitedFor.length = 0;
});
status.after(() => server.close(AbortSignal.timeout(1_000)));

interface Asked {
  readonly token?: string | null;
  readonly app?: string;
  readonly headers?: { readonly [name: string]: string };
}
const ask = (id: number | string, { token = "owner", app = "shop", headers = {} }: Asked = {}): Promise<Answer> => {
  const path = `/log-export/api/v3/apps/${app}/request/${id}`;
  return call("GET", path, { ...(token === null ? {} : { token }), headers });
};
const codeOf = ({ status, json }: Answer): string => `${status} ${(json as { code?: string }).code ?? ""}`.trim();

status("is 202 without an address while it is unfinished, and says when to ask again", async () => {
  const answer = await ask(open);
  assert.equal([answer.status, answer.json, answer.headers["retry-after"]], [202, { data: { url: null } }, "2"]);
});

status("is 200 with a signed address that is valid for an hour once there is a file", async () => {
  const answer = await ask(done, { token: "inHouse" });
  const url = signedUrl("https://tl.example", signingKey, done, now);
  assert.equal([answer.status, answer.json], [200, { data: { url } }]);
  const { searchParams } = new URL(url);
  const sent = {
    reportId: String(done),
    expires: searchParams.get("expires") ?? "",
    signature: searchParams.get("signature") ?? "",
  };
  assert.is(checkSignature(signingKey, sent, new Date(now.getTime() + 3_600_000)), "valid");
});

status("is 409 when it has failed, whatever the reason", async () => {
  for (const id of [behind, broken]) assert.is(codeOf(await ask(id)), "409 EXPORT_FAILED");
});

status("is 404 for an export of another app, in either app's name, as if there were none", async () => {
  const shown = async (answer: Promise<Answer>): Promise<unknown> => {
    const { json } = await answer;
    return { ...(json as object), instance: null, requestId: null };
  };
  assert.is(codeOf(await ask(ofCafe)), "404 EXPORT_NOT_FOUND");
  assert.equal(await shown(ask(ofCafe)), await shown(ask(999_999_999)));
  assert.is(codeOf(await ask(done, { app: "cafe", token: "ofCafe" })), "404 EXPORT_NOT_FOUND");
  assert.is((await ask(ofCafe, { app: "cafe", token: "ofCafe" })).status, 200);
});

const nonsense = [
  ...[
    "0",
    "01",
    `0${done}`,
    "-1",
    `-${done}`,
    "+1",
    "1.0",
    `${done}.0`,
    "1e3",
    "1.20543002e8",
    "0x1",
    "NaN",
    "Infinity",
  ],
  ...["9007199254740992", "9007199254740993", "99999999999999999999999999", "1".repeat(300)],
  ...["abc", `${done}%20`, `%20${done}`, `${done}%0A`, "%27", "１２０５４３００２", "null"].map((text) =>
    /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text),
  ),
];
for (const id of nonsense) {
  status(`is 404 for ${id.slice(0, 40)}, without looking for it`, async () => {
    assert.is(codeOf(await ask(id)), "404 EXPORT_NOT_FOUND");
    assert.equal(lookedUp, []);
  });
}

status("is looked for up to the largest number that is exact", async () => {
  assert.is(codeOf(await ask("9007199254740991")), "404 EXPORT_NOT_FOUND");
  assert.equal(lookedUp, [Number.MAX_SAFE_INTEGER]);
});

status("is for owners and in-house marketers of the app", async () => {
  const codes = (tokens: readonly (string | null)[], app = "shop") =>
    Promise.all(tokens.map(async (token) => codeOf(await ask(done, { token, app }))));
  assert.equal(await codes([null, "nobody"]), ["401 UNAUTHORIZED", "401 UNAUTHORIZED"]);
  const strangers = ["agency", "partner", "link", "sdk", "web", "operator"];
  assert.equal(
    await codes(strangers),
    strangers.map(() => "403 FORBIDDEN"),
  );
  assert.equal(await codes(["ofCafe"]), ["404 APP_NOT_FOUND"]);
  assert.equal(await codes(["owner", "owner"], "cafe"), ["404 APP_NOT_FOUND", "404 APP_NOT_FOUND"]);
  assert.equal(lookedUp, []);
});

status("waits for the position that a caller has read of", async () => {
  assert.is((await ask(done, { headers: { "X-Min-Position": "100" } })).status, 200);
  assert.equal(waitedFor, [["control", 100n]]);
  assert.is(codeOf(await ask(done, { headers: { "X-Min-Position": "101" } })), "503 READ_MODEL_BEHIND");
});

status("is told to GET and HEAD alone", async () => {
  const path = `/log-export/api/v3/apps/shop/request/${done}`;
  assert.is((await call("HEAD", path, { token: "owner" })).status, 200);
  const refused = await call("DELETE", path, { token: "owner" });
  assert.equal([codeOf(refused), refused.headers.allow], ["405 METHOD_NOT_ALLOWED", "GET, HEAD"]);
});

status.run();
