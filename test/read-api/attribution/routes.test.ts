import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { readRules } from "../../../domain/attribution/rules-format.ts";
import type { ShownAttribution } from "../../../projections/reports/attributions/shown-attribution.ts";
import { attributionReadRoutes, attributionRulesReadRoutes } from "../../../read-api/attribution/routes.ts";
import { anInstall } from "../../examples/app-events.ts";
import { revisedBy, wonBy } from "../../examples/decisions.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { type ServedRoutes, serveRoutes } from "../../support/served-routes.ts";

const { eventId } = anInstall().data;
const { data: decision } = wonBy(anInstall(), aClick());

let application: ServedRoutes;
let known: ShownAttribution = { outcome: "unknown" };
let inForce = defaultRules;
const requested: unknown[] = [];
const attributions = suite("GET /admin/v1/apps/{app_name}/attributions/{eventId}");
attributions.before(async () => {
  const attributionOf = async ({ appId }: { readonly appId: number }, id: string) => {
    requested.push([appId, id]);
    return known;
  };
  const attributionRulesOf = async (appId: number) => {
    requested.push(appId);
    return inForce;
  };
  application = await serveRoutes([
    ...attributionReadRoutes({ attributionOf }),
    ...attributionRulesReadRoutes({ attributionRulesOf }),
  ]);
});
attributions.before.each(() => {
  requested.length = 0;
});

const read = (path: string) => application.call("GET", `/admin/v1/apps/shop/${path}`, { token: "owner" });
const get = (id: string) => read(`attributions/${id}`);
const refusal = async (id: string) => {
  const { status, json, headers } = await get(id);
  return [status, (json as { code: string }).code, headers["retry-after"]];
};

attributions("answers the decision as it was recorded", async () => {
  known = { outcome: "decided", latest: { decision, position: 400n }, former: [] };
  const { status, json } = await get(eventId.toUpperCase());
  assert.equal([status, json], [200, { data: { ...decision, asOfPosition: "400", formerDecisions: [] } }]);
  assert.equal(requested, [[1, eventId]]);
});

attributions("answers what a revision has revised beside it", async () => {
  const late = aClick({ touchpointId: exampleUuid("click", 2) });
  const revision = revisedBy(wonBy(anInstall(), aClick()), late);
  const former = [{ decision, position: 400n }];
  known = { outcome: "decided", latest: { decision: revision.data, position: 700n }, former };
  const { json } = await get(eventId);
  const formerDecisions = [{ ...decision, asOfPosition: "400" }];
  assert.equal(json, { data: { ...revision.data, asOfPosition: "700", formerDecisions } });
  assert.equal(revision.data.formerWinner, decision.winner);
});

attributions("is pending while an event is undecided", async () => {
  known = { outcome: "undecided" };
  assert.equal(await refusal(eventId), [404, "ATTRIBUTION_PENDING", "1"]);
});

attributions("knows no other events", async () => {
  known = { outcome: "unknown" };
  assert.equal(await refusal(eventId), [404, "ATTRIBUTION_NOT_FOUND", undefined]);
  assert.equal(await refusal("not-a-uuid"), [404, "ATTRIBUTION_NOT_FOUND", undefined]);
});

const rules = suite("GET /admin/v1/apps/{app_name}/attribution-rules");
rules.after(() => application.close());

rules("answers the rules in force", async () => {
  const written = {
    click: { device: "7d", probabilistic: "24h" },
    impression: { device: "24h", probabilistic: "6h" },
    attributionWindow: "30d",
    channels: {},
  };
  assert.equal((await read("attribution-rules")).json, { data: { attributionRules: written } });
  inForce = readRules({ attributionWindow: "90m" });
  assert.equal((await read("attribution-rules")).json, {
    data: { attributionRules: { ...written, attributionWindow: "90m" } },
  });
});

attributions.run();
rules.run();
