import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { errorsOf } from "../../support/short-faults.ts";

let application: Administration;
const changing = suite("PATCH of an app");
changing.before(async () => {
  application = await startAdministration();
});
changing.after(() => application.close());

const patch = (body: unknown, token = adminToken, name = "shop"): Promise<Answer> =>
  application.call("PATCH", `/admin/v1/apps/${name}`, { token, body });
const get = (path: string): Promise<Answer> => application.call("GET", path, { token: adminToken });

changing("changes stores, addresses, hosts, e-mail and company; absent fields stay", async () => {
  const { tokens } = await application.registerApp("shop");
  const before = ((await get("/admin/v1/apps/shop")).json as { data: { app: object } }).data.app;
  const changes = {
    companyName: "Shop Inc.",
    ownerEmail: "boss@shop.example",
    iosStoreId: "42",
    androidPackage: "example.shop",
    iosStoreUrl: "https://apps.apple.com/app/id42",
    androidStoreUrl: "https://play.google.com/store/apps/details?id=example.shop",
    desktopUrl: "https://shop.example/",
    iosAppIds: Array.from({ length: 10 }, (_, n) => `ABCDE12345.example.shop${n}`),
    androidCertificates: [Array(32).fill("0F").join(":")],
  };
  const first = await patch({ ...changes, redirectHosts: ["News.example", "news.example"] }, tokens.api);
  const app = { ...before, ...changes, redirectHosts: ["news.example"] };
  assert.equal([first.status, first.json], [200, { data: { app } }]);
  assert.match(String(first.headers["x-log-position"]), /^\d+$/);
  const second = await patch({ desktopUrl: null });
  assert.equal(second.json, { data: { app: { ...app, desktopUrl: null } } });
  assert.equal((await get("/admin/v1/apps/shop")).json, { data: { app: { ...app, desktopUrl: null } } });
  assert.equal((await get("/admin/v1/apps")).json, { data: { totalCount: 1, apps: [{ ...app, desktopUrl: null }] } });
});

changing("keeps name, time zone and currency, and refuses what registration refuses", async () => {
  for (const [field, value] of [
    ["name", "other"],
    ["timezone", "UTC"],
    ["currency", "USD"],
    ["ownerEmail", null],
    ["redirectHosts", null],
    ["iosStoreUrl", "javascript:alert(1)"],
  ] as const) {
    const refused = await patch({ [field]: value });
    const [[, at] = []] = errorsOf(refused) as readonly string[][];
    assert.equal([refused.status, at], [400, field]);
  }
});

changing("accepts settings up to their limits", async () => {
  const each = <Value>(count: number, itemAt: (index: number) => Value): readonly Value[] =>
    Array.from({ length: count }, (_, index) => itemAt(index));
  const certificate = (index: number) => each(32, () => (index + 16).toString(16).toUpperCase()).join(":");
  const cases: readonly (readonly [field: string, longest: unknown, beyond: unknown])[] = [
    ["companyName", "😀".repeat(256), "😀".repeat(257)],
    ["iosStoreId", "a".repeat(64), "a".repeat(65)],
    ["androidPackage", `a.${"b".repeat(253)}`, `a.${"b".repeat(254)}`],
    ["desktopUrl", "https://shop.example/".padEnd(2_048, "x"), "https://shop.example/".padEnd(2_049, "x")],
    ["redirectHosts", each(100, (index) => `h${index}.example`), each(101, (index) => `h${index}.example`)],
    [
      "allowedOrigins",
      each(100, (index) => `https://h${index}.example`),
      each(101, (index) => `https://h${index}.example`),
    ],
    ["allowedOrigins", ["https://a.example"], ["https://a.example", "https://a.example"]],
    ["iosAppIds", ["ABCDE12345.example.shop"], ["ABCDE12345.example.shop", "ABCDE12345.example.shop"]],
    ["androidCertificates", each(10, certificate), each(11, certificate)],
    ["androidCertificates", [certificate(0)], [certificate(0), certificate(0)]],
  ];
  for (const [field, longest, beyond] of cases) {
    const [accepted, refused] = [await patch({ [field]: longest }), await patch({ [field]: beyond })];
    const [[, at] = []] = errorsOf(refused);
    assert.equal([accepted.status, refused.status, at], [200, 400, field], `${field}: ${accepted.text}`);
  }
});

changing("gives a store id to only one app, also concurrently", async () => {
  const names = ["cafe", "club", "deli"];
  for (const name of names) await application.registerApp(name);
  const answers = await Promise.all(names.map((name) => patch({ iosStoreId: "43" }, adminToken, name)));
  assert.equal(answers.map(outcomeOf).sort(), ["200", "409 IOS_STORE_ID_TAKEN", "409 IOS_STORE_ID_TAKEN"]);
});

changing.run();
