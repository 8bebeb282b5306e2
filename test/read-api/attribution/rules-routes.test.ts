import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { readRules } from "../../../domain/attribution/rules-format.ts";
import { attributionRulesReadRoutes } from "../../../read-api/attribution/routes.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";

let application: Administration;
let tokens: Readonly<Record<string, string>>;
let inForce = defaultRules;
const requested: number[] = [];

const rules = suite("GET /admin/v1/apps/{app_name}/attribution-rules");
rules.before(async () => {
  const attributionRulesOf = async (appId: number) => {
    requested.push(appId);
    return inForce;
  };
  application = await startAdministration({ routes: attributionRulesReadRoutes({ attributionRulesOf }) });
  tokens = (await application.registerApp("shop")).tokens;
});
rules.after(() => application.close());

const get = async (token?: string, app = "shop") =>
  application.call("GET", `/admin/v1/apps/${app}/attribution-rules`, token === undefined ? {} : { token });

rules("answers the rules in force, to the owner and the operator", async () => {
  const written = {
    click: { device: "7d", probabilistic: "24h" },
    impression: { device: "24h", probabilistic: "6h" },
    attributionWindow: "30d",
    channels: {},
  };
  assert.equal((await get(tokens.api)).json, { data: { attributionRules: written } });
  inForce = readRules({ attributionWindow: "90m" });
  assert.equal((await get(adminToken)).json, { data: { attributionRules: { ...written, attributionWindow: "90m" } } });
  assert.equal(requested, [1, 1]);
});

rules.run();
