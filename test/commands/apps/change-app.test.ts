import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/client.ts";
import { errorsOf } from "../../support/faults.ts";
import { outcomeOf } from "../../support/served-routes.ts";

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

changing("gives a store id to only one app, also concurrently", async () => {
  const names = ["cafe", "club", "deli"];
  for (const name of names) await application.registerApp(name);
  const answers = await Promise.all(names.map((name) => patch({ iosStoreId: "43" }, adminToken, name)));
  assert.equal(answers.map(outcomeOf).sort(), ["200", "409 IOS_STORE_ID_TAKEN", "409 IOS_STORE_ID_TAKEN"]);
});

changing.run();
