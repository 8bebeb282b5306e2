import { suite } from "uvu";
import * as assert from "uvu/assert";
import { attributionRulesRoutes } from "../../../commands/apps/attribution-rules-routes.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { parseRules } from "../../../domain/attribution/rules-format.ts";
import { appStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/raw-client.ts";
import { errorsOf } from "../../support/short-faults.ts";

let application: Administration;
let name = "";
let app: Awaited<ReturnType<Administration["registerApp"]>>;

/** Each test has an app of its own. */
const rules = suite("PUT /admin/v1/apps/{app_name}/attribution-rules");
rules.before(async () => {
  application = await startAdministration({ routes: ({ log }) => attributionRulesRoutes({ log }) });
});
rules.before.each(async () => {
  name += "shop_";
  app = await application.registerApp(name);
});
rules.after(() => application.close());

const put = (body: unknown, token = adminToken): Promise<Answer> =>
  application.call("PUT", `/admin/v1/apps/${name}/attribution-rules`, { token, body });
const events = () => application.facts(appStream(app.id));
/** Locations of the faults, each joined by dots. */
const faultsOf = async (body: unknown): Promise<readonly string[]> =>
  errorsOf(await put(body)).map((fault) => fault.slice(0, -1).join("."));

const defaults = {
  click: { device: "7d", probabilistic: "24h" },
  impression: { device: "24h", probabilistic: "6h" },
  attributionWindow: "30d",
  channels: {},
};

rules("stores rules of the operator and the owner in the app's stream, and responds with all of them", async () => {
  const channels = { partner: { click: { probabilistic: "0m" } }, network: { impression: { device: "720m" } } };
  const body = { click: { device: "48h" }, channels };
  const answer = await put(body);
  const partner = { click: { device: "2d", probabilistic: "0h" }, impression: defaults.impression };
  const click = { device: "2d", probabilistic: "24h" };
  const network = { click, impression: { device: "12h", probabilistic: "6h" } };
  const inForce = { ...defaults, click, channels: { partner, network } };
  assert.equal([answer.status, answer.json], [200, { data: { attributionRules: inForce } }]);
  assert.is((await put({}, app.tokens.api)).status, 200);
  assert.equal(await events(), [
    { type: "AttributionRulesChanged", data: { appId: app.id, rules: parseRules(body) } },
    { type: "AttributionRulesChanged", data: { appId: app.id, rules: defaultRules } },
  ]);
});

rules("appends nothing for unchanged rules", async () => {
  assert.equal([(await put(defaults)).status, await events()], [200, []]);
  const first = await put({ attributionWindow: "7d" });
  const again = await put({ attributionWindow: "168h" });
  assert.equal(
    [again.status, again.json, again.headers["x-log-position"], (await events()).length],
    [200, first.json, first.headers["x-log-position"], 1],
  );
});

rules("reports the location of every fault", async () => {
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
  assert.equal(await events(), []);
});

rules("rejects names that no channel of a link can have", async () => {
  for (const channel of ["unattributed", "restricted", "organic", "", " partner", "a".repeat(257)]) {
    assert.ok((await faultsOf({ channels: { [channel]: {} } })).includes(`body.channels.${channel}`), channel);
  }
  for (const channel of ["partner", "파트너", "a".repeat(256)]) {
    assert.is((await put({ channels: { [channel]: {} } })).status, 200, channel);
  }
});

rules("accepts at most 100 channels, because every decision stores them", async () => {
  const channels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`channel-${index}`, { click: { device: "1h" } }]));
  for (const count of [99, 100]) assert.is((await put({ channels: channels(count) })).status, 200);
  assert.equal(await faultsOf({ channels: channels(101) }), ["body.channels"]);
});

rules.run();
