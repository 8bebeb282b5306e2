import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream, tokenStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import { type Answer, statusesOf } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { errorsOf, problemOf } from "../../support/short-faults.ts";

interface Registered {
  readonly data: {
    readonly app: { readonly id: number };
    readonly tokens: { readonly api: string; readonly link: string; readonly sdk: string; readonly web: string };
  };
}

const minimal = { name: "shop", timezone: "Asia/Seoul", currency: "KRW", ownerEmail: "owner@shop.example" };
const optional = {
  companyName: "Café Ω",
  iosStoreId: "123456789",
  androidPackage: "example.shop",
  iosStoreUrl: "https://apps.apple.com/app/id123456789",
  androidStoreUrl: "https://play.google.com/store/apps/details?id=example.shop",
  desktopUrl: "https://shop.example/",
  redirectHosts: ["Shop.Example", "m.shop.example", "shop.example"],
};

let application: Administration;
const registering = suite("registering an app");
let registered: Answer;
registering.before(async () => {
  application = await startAdministration();
  registered = await post({ ...minimal, ...optional });
});
registering.after(() => application.close());

const post = (body: unknown, token = adminToken): Promise<Answer> =>
  application.call("POST", "/admin/v1/apps", { token, body });
const get = (path: string, token = adminToken): Promise<Answer> => application.call("GET", path, { token });

registering("responds with its id and four tokens, and stores no token's text", async () => {
  const { status, headers, json, text } = registered;
  assert.is(status, 201);
  assert.match(String(headers["x-log-position"]), /^\d+$/);
  const { app, tokens } = (json as Registered).data;
  assert.equal(app, { id: 1, name: "shop", timezone: "Asia/Seoul", currency: "KRW" });
  assert.equal(Object.keys(tokens), ["api", "link", "sdk", "web"]);
  for (const [kind, token] of Object.entries(tokens)) {
    assert.match(token, new RegExp(`^tl_${kind}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$`));
    assert.is((await get("/admin/v1/apps/shop", token)).status, kind === "api" ? 200 : 403);
  }
  const secrets = Object.values(tokens).map((token) => token.split("_")[2] ?? "");
  const log = JSON.stringify(await application.facts());
  assert.ok(secrets.every((secret) => text.includes(secret) && !log.includes(secret)));
});

registering("is visible at once, in the operator's list and to its owner", async () => {
  const { api } = (registered.json as Registered).data.tokens;
  const { app } = ((await get("/admin/v1/apps/shop", api)).json as { data: { app: { registeredAt: string } } }).data;
  const redirectHosts = ["shop.example", "m.shop.example"];
  assert.equal(app, {
    id: 1,
    ...minimal,
    ...optional,
    redirectHosts,
    ...{ allowedOrigins: [], iosAppIds: [], androidCertificates: [] },
    registeredAt: app.registeredAt,
  });
  assert.equal((await get("/admin/v1/apps")).json, { data: { totalCount: 1, apps: [app] } });
});

registering("appends one event to the registry and one for each token", async () => {
  const name = "minimal";
  await post({ ...minimal, name });
  const [appRegistered, ...others] = (await application.facts(appRegistryStream)).slice(1);
  const { salt, tokenIds } = (appRegistered?.data ?? {}) as {
    salt: string;
    tokenIds: Readonly<Record<string, string>>;
  };
  const unset = { companyName: null, iosStoreId: null, androidPackage: null, iosStoreUrl: null, androidStoreUrl: null };
  const data = { ...minimal, name, ...unset, desktopUrl: null, redirectHosts: [], appId: 2, salt, tokenIds };
  assert.equal([appRegistered, others], [{ type: "AppRegistered", data }, []]);
  assert.match(salt, /^[0-9a-f]{64}$/);
  for (const [kind, tokenId] of Object.entries(tokenIds)) {
    const [issued, ...later] = await application.facts(tokenStream(tokenId));
    const { secretHashRest } = (issued?.data ?? {}) as { secretHashRest: string };
    assert.match(secretHashRest, /^[0-9a-f]{32}$/);
    const role = kind === "api" ? "owner" : null;
    const grant = { tokenId, secretHashRest, kind, role, appId: 2, channels: [], label: null };
    assert.equal([issued, later], [{ type: "TokenIssued", data: grant }, []]);
  }
});

registering("numbers apps and gives each name once under concurrent requests", async () => {
  const answers = await Promise.all(
    ["one", "two", "one", "six", "two", "one"].map((name) => post({ ...minimal, name })),
  );
  assert.equal(statusesOf(answers).toSorted(), [201, 201, 201, 409, 409, 409]);
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(created.map(({ json }) => (json as Registered).data.app.id).sort(), [3, 4, 5]);
  const errors = [["body", "name", "app_name_taken"]];
  assert.equal(problemOf(await post({ ...minimal, name: "one" })), { status: 409, code: "APP_NAME_TAKEN", errors });
});

registering("gives each iOS store id once under concurrent requests", async () => {
  const answers = await Promise.all(
    ["cafe", "club", "deli"].map((name) => post({ ...minimal, name, iosStoreId: "42" })),
  );
  assert.equal(statusesOf(answers).toSorted(), [201, 409, 409]);
  const errors = [["body", "iosStoreId", "ios_store_id_taken"]];
  const taken = await post({ ...minimal, name: "diner", iosStoreId: "42" });
  assert.equal(problemOf(taken), { status: 409, code: "IOS_STORE_ID_TAKEN", errors });
});

registering("rejects invalid names, time zones, currencies and addresses", async () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ...["Shop", "sh", "1shop", "a".repeat(41), "shop-one", "shöp", "", 7, null].map((name) => ["name", name] as const),
    ...["asia/seoul", "+09:00", "Mars/Olympus", ""].map((timezone) => ["timezone", timezone] as const),
    ...["krw", "XXX", "EURO", "__proto__"].map((currency) => ["currency", currency] as const),
    ...["owner", "a@b", "a b@c.de", "a@b.c\u0000", "@c.de", "a@c..de"].map((email) => ["ownerEmail", email] as const),
    ...["javascript:alert(1)", "//shop.example", "https://", "https://u:p@shop.example", "ftp://a.b"].map(
      (url) => ["desktopUrl", url] as const,
    ),
    // Invalid destinations of links (contract/tracking-links.md#destinations).
    ...["https://shop.example/<b>", "https://shop.example/\u0001", 'https://shop.example/"', "http:shop.example"].map(
      (url) => ["androidStoreUrl", url] as const,
    ),
    ["iosStoreUrl", "shop.example"],
    ["androidStoreUrl", `https://shop.example/${"x".repeat(2048)}`],
    ["androidPackage", "shop"],
    ["iosStoreId", "id 1"],
    ["companyName", ""],
    ["redirectHosts", ["https://shop.example"]],
    ["redirectHosts", ["shop.example/path"]],
    ["redirectHosts", "shop.example"],
    ["allowedOrigins", ["https://shop.example/"]],
    ["allowedOrigins", ["shop.example"]],
    ["allowedOrigins", ["*"]],
    ["allowedOrigins", ["https://*.shop.example"]],
    ["allowedOrigins", ["https://a..example"]],
    ["iosAppIds", ["example.shop"]],
    ["iosAppIds", ["ABCDE1234.example.shop"]],
    ["iosAppIds", ["ABCDE123456.example.shop"]],
    ["iosAppIds", ["ABCDE12345."]],
    ["iosAppIds", ["ABCDE12345.*"]],
    ["iosAppIds", Array.from({ length: 11 }, (_, n) => `ABCDE12345.shop${n}`)],
    ["androidCertificates", [Array(31).fill("0F").join(":")]],
    ["androidCertificates", [Array(33).fill("0F").join(":")]],
    ["androidCertificates", [Array(32).fill("0f").join(":")]],
    ["androidCertificates", ["0F".repeat(32)]],
    ["salt", "00"],
  ];
  const before = await application.facts(appRegistryStream);
  for (const [field, value] of wrong) {
    const { status, code, errors } = problemOf(await post({ ...minimal, name: "valid", [field]: value }));
    const location = errors[0]?.slice(0, 2);
    assert.equal([status, code, location], [400, "VALIDATION_FAILED", ["body", field]], `${field}: ${value}`);
  }
  for (const field of Object.keys(minimal)) {
    const refused = await post({ ...minimal, [field]: undefined });
    assert.equal([refused.status, errorsOf(refused)], [400, [["body", field, "missing"]]]);
  }
  assert.equal(await application.facts(appRegistryStream), before);
});

registering.run();

const unattended = suite("without an operator's token");

unattended("responds with 404 for operator-only paths and requires a token for paths of an app", async () => {
  const alone = await startAdministration({ adminToken: null });
  const outcomes = [
    await alone.call("POST", "/admin/v1/apps", { body: minimal }),
    await alone.call("GET", "/admin/v1/apps", { token: adminToken }),
    await alone.call("PUT", "/admin/v1/channels/tiktok"),
    await alone.call("GET", "/admin/v1/apps/shop"),
  ].map(outcomeOf);
  assert.equal(outcomes, ["404 NOT_FOUND", "404 NOT_FOUND", "404 NOT_FOUND", "401 UNAUTHORIZED"]);
  await alone.close();
});

unattended.run();
