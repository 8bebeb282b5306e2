import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream, type StreamName, tokenStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/client.ts";
import { errorsOf } from "../../support/faults.ts";

interface Registered {
  readonly data: {
    readonly app: unknown;
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
registering.before.each(async () => {
  application = await startAdministration();
});
registering.after.each(() => application.close());

const post = (body: unknown, token = adminToken): Promise<Answer> =>
  application.call("POST", "/admin/v1/apps", { token, body });
const get = (path: string, token = adminToken): Promise<Answer> => application.call("GET", path, { token });

async function eventsOf(stream: StreamName): Promise<readonly { readonly type: string; readonly data: unknown }[]> {
  const events = [];
  for await (const { type, data } of application.log.read(stream)) events.push({ type, data });
  return events;
}

registering("answers its id and four tokens, and stores no token's text", async () => {
  const { status, headers, json, text } = await post({ ...minimal, ...optional });
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
  const log: string[] = [];
  for await (const { data } of application.log.readAll("start", 100)) log.push(JSON.stringify(data));
  assert.ok(secrets.every((secret) => text.includes(secret) && !log.join().includes(secret)));
});

registering("is one event of the registry and one of each token", async () => {
  await post(minimal);
  const [registered, ...others] = await eventsOf(appRegistryStream);
  const { salt, tokenIds } = (registered ?? { data: {} }).data as {
    salt: string;
    tokenIds: Readonly<Record<string, string>>;
  };
  const unset = { companyName: null, iosStoreId: null, androidPackage: null, iosStoreUrl: null, androidStoreUrl: null };
  const data = { ...minimal, ...unset, desktopUrl: null, redirectHosts: [], appId: 1, salt, tokenIds };
  assert.equal([registered, others], [{ type: "AppRegistered", data }, []]);
  assert.match(salt, /^[0-9a-f]{64}$/);
  for (const [kind, tokenId] of Object.entries(tokenIds)) {
    const [issued, ...later] = await eventsOf(tokenStream(tokenId));
    const { secretHashRest } = (issued ?? { data: {} }).data as { secretHashRest: string };
    assert.match(secretHashRest, /^[0-9a-f]{32}$/);
    const role = kind === "api" ? "owner" : null;
    const grant = { tokenId, secretHashRest, kind, role, appId: 1, channels: [], label: null };
    assert.equal([issued, later], [{ type: "TokenIssued", data: grant }, []]);
  }
});

registering("is visible at once, in the operator's list and to its owner", async () => {
  const { api } = ((await post({ ...minimal, ...optional })).json as Registered).data.tokens;
  const { app } = ((await get("/admin/v1/apps/shop", api)).json as { data: { app: { registeredAt: string } } }).data;
  assert.equal(app, {
    id: 1,
    ...minimal,
    ...optional,
    redirectHosts: ["shop.example", "m.shop.example"],
    registeredAt: app.registeredAt,
  });
  assert.equal((await get("/admin/v1/apps")).json, { data: { apps: [app] } });
  assert.is((await get("/admin/v1/apps", api)).status, 403);
});

registering("numbers apps and gives each name once under concurrent requests", async () => {
  const answers = await Promise.all(
    ["one", "two", "one", "six", "two", "one"].map((name) => post({ ...minimal, name })),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409]);
  const ids = answers.flatMap(({ json, status }) => (status === 201 ? [(json as Registered).data.app] : []));
  assert.equal(ids.map((app) => (app as { id: number }).id).sort(), [1, 2, 3]);
  const taken = (await post({ ...minimal, name: "one" })).json as { code: string; errors: unknown };
  const msg = "The name one is taken.";
  assert.equal(
    [taken.code, taken.errors],
    ["APP_NAME_TAKEN", [{ loc: ["body", "name"], msg, type: "app_name_taken" }]],
  );
});

registering("gives each iOS store id once under concurrent requests", async () => {
  const answers = await Promise.all(
    ["one", "two", "six"].map((name) => post({ ...minimal, name, iosStoreId: "123456789" })),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  const { status, json } = await post({ ...minimal, name: "ten", iosStoreId: "123456789" });
  const { code, errors } = json as { code: string; errors: readonly { loc: unknown }[] };
  assert.equal([status, code, errors[0]?.loc], [409, "IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]]);
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
    // What no link would send a visitor to (contract/tracking-links.md#destinations).
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
    ["salt", "00"],
  ];
  for (const [field, value] of wrong) {
    const { status, json } = await post({ ...minimal, [field]: value });
    const { code, errors } = json as { code: string; errors: readonly { loc: readonly unknown[] }[] };
    assert.equal([status, code], [400, "VALIDATION_FAILED"], JSON.stringify([field, value]));
    assert.equal(errors[0]?.loc.slice(0, 2), ["body", field]);
  }
  for (const field of Object.keys(minimal)) {
    const refused = await post({ ...minimal, [field]: undefined });
    assert.equal([refused.status, errorsOf(refused)], [400, [["body", field, "missing"]]]);
  }
  assert.equal(await eventsOf(appRegistryStream), []);
});

registering.run();

const unattended = suite("without an operator's token");

unattended("answers 404 for operator-only paths and requires a token for paths of an app", async () => {
  const alone = await startAdministration({ adminToken: null });
  const codeOf = async (method: string, path: string, token?: string): Promise<unknown> => {
    const { status, json } = await alone.call(method, path, {
      body: minimal,
      ...(token === undefined ? {} : { token }),
    });
    return [status, (json as { code: string }).code];
  };
  assert.equal(await codeOf("POST", "/admin/v1/apps"), [404, "NOT_FOUND"]);
  assert.equal(await codeOf("GET", "/admin/v1/apps", adminToken), [404, "NOT_FOUND"]);
  assert.equal(await codeOf("PUT", "/admin/v1/channels/tiktok"), [404, "NOT_FOUND"]);
  assert.equal(await codeOf("GET", "/admin/v1/apps/shop"), [401, "UNAUTHORIZED"]);
  await alone.close();
});

unattended.run();
