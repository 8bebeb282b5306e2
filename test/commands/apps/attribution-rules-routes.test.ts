import { suite } from "uvu";
import * as assert from "uvu/assert";
import { attributionRulesRoutes } from "../../../commands/apps/attribution-rules-routes.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { readRules } from "../../../domain/attribution/rules-format.ts";
import { appStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/client.ts";

let application: Administration;
let tokens: Readonly<Record<string, string>>;

const rules = suite("PUT /admin/v1/apps/{app_name}/attribution-rules");
rules.before.each(async () => {
  application = await startAdministration({ routes: ({ log }) => attributionRulesRoutes({ log }) });
  tokens = (await application.registerApp("shop")).tokens;
  await application.registerApp("other");
});
rules.after.each(() => application.close());

const put = (body: unknown, token = adminToken, app = "shop"): Promise<Answer> =>
  application.call("PUT", `/admin/v1/apps/${app}/attribution-rules`, { token, body });
const eventsOf = async (appId: number): Promise<readonly unknown[]> => {
  const events = [];
  for await (const { type, data } of application.log.read(appStream(appId))) events.push({ type, data });
  return events;
};
const faultsOf = async (body: unknown): Promise<readonly unknown[]> => {
  const { status, json } = await put(body);
  assert.is(status, 400, JSON.stringify(body));
  return (json as { errors: readonly { loc: readonly unknown[] }[] }).errors.map(({ loc }) => loc.join("."));
};

const defaults = {
  click: { device: "7d", probabilistic: "24h" },
  impression: { device: "24h", probabilistic: "6h" },
  attributionWindow: "30d",
  channels: {},
};

rules("sets them in the app's own stream and answers them in full, to the operator and the owner", async () => {
  const body = { click: { device: "48h" }, channels: { partner: { click: { probabilistic: "0m" } } } };
  const answer = await put(body);
  const [click, { impression }] = [{ device: "2d", probabilistic: "24h" }, defaults];
  const inForce = {
    ...defaults,
    click,
    channels: { partner: { click: { device: "2d", probabilistic: "0h" }, impression } },
  };
  assert.equal([answer.status, answer.json], [200, { data: { attributionRules: inForce } }]);
  const changed = { type: "AttributionRulesChanged", data: { appId: 1, rules: readRules(body) } };
  assert.equal(await eventsOf(1), [changed]);
  assert.is((await put({}, tokens.api)).status, 200);
  assert.equal(await eventsOf(1), [changed, { ...changed, data: { appId: 1, rules: defaultRules } }]);
  assert.equal(await eventsOf(2), []);
});

rules("says nothing of what is so already", async () => {
  assert.equal([(await put(defaults)).status, await eventsOf(1)], [200, []]);
  const first = await put({ attributionWindow: "7d" });
  const again = await put({ attributionWindow: "168h" });
  assert.equal([again.status, again.json], [200, first.json]);
  assert.is(again.headers["x-log-position"], first.headers["x-log-position"]);
  assert.is((await eventsOf(1)).length, 1);
});

rules("names every fault with its place", async () => {
  const body = {
    click: { device: "31d", probabilistic: 24, more: "1h" },
    impression: [],
    attributionWindow: "720h1m",
    channels: { partner: { click: { device: "1s" }, attributionWindow: "1d" } },
    lookback: "7d",
  };
  assert.equal([...(await faultsOf(body))].sort(), [
    "body.attributionWindow",
    "body.channels.partner.attributionWindow",
    "body.channels.partner.click.device",
    "body.click.device",
    "body.click.more",
    "body.click.probabilistic",
    "body.impression",
    "body.lookback",
  ]);
  assert.equal(await eventsOf(1), []);
});

rules("refuses names that no link's channel can have", async () => {
  for (const name of ["unattributed", "restricted", "organic", "", " partner", "a".repeat(257)]) {
    assert.ok((await faultsOf({ channels: { [name]: {} } })).includes(`body.channels.${name}`), name);
  }
  for (const name of ["partner", "파트너", "a".repeat(256)]) {
    assert.is((await put({ channels: { [name]: {} } })).status, 200, name);
  }
});

rules("takes 100 channels at most, which every decision must carry", async () => {
  const channels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`channel-${index}`, { click: { device: "1h" } }]));
  assert.is((await put({ channels: channels(99) })).status, 200);
  assert.is((await put({ channels: channels(100) })).status, 200);
  assert.equal(await faultsOf({ channels: channels(101) }), ["body.channels"]);
});

rules.run();
