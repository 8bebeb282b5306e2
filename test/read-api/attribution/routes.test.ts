import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ShownAttribution } from "../../../projections/reports/attributions/shown-attribution.ts";
import { attributionReadRoutes } from "../../../read-api/attribution/routes.ts";
import { anInstall } from "../../examples/app-events.ts";
import { revisedBy, wonBy } from "../../examples/decisions.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";

const { eventId } = anInstall().data;
const { data: decision } = wonBy(anInstall(), aClick());

let application: Administration;
let owner: string;
let known: ShownAttribution = { outcome: "unknown" };
const requested: unknown[] = [];
const attributions = suite("GET /admin/v1/apps/{app_name}/attributions/{eventId}");
attributions.before(async () => {
  const attributionOf = async ({ appId }: { readonly appId: number }, id: string) => {
    requested.push([appId, id]);
    return known;
  };
  application = await startAdministration({ routes: attributionReadRoutes({ attributionOf }) });
  owner = (await application.registerApp("shop")).tokens.api ?? "";
});
attributions.before.each(() => {
  requested.length = 0;
});
attributions.after(() => application.close());

const get = (id: string, token: string) => application.call("GET", `/admin/v1/apps/shop/attributions/${id}`, { token });
const refusal = async (id: string) => {
  const { status, json, headers } = await get(id, owner);
  return [status, (json as { code: string }).code, headers["retry-after"]];
};

attributions("answers the decision as it was recorded, to the owner and the operator", async () => {
  known = { outcome: "decided", latest: { decision, position: 400n }, former: [] };
  for (const token of [owner, adminToken]) {
    const { status, json } = await get(eventId.toUpperCase(), token);
    assert.equal([status, json], [200, { data: { ...decision, asOfPosition: "400", formerDecisions: [] } }]);
  }
  assert.equal(requested, [
    [1, eventId],
    [1, eventId],
  ]);
});

attributions("answers what a revision has revised beside it", async () => {
  const late = aClick({ touchpointId: exampleUuid("click", 2) });
  const revision = revisedBy(wonBy(anInstall(), aClick()), late);
  const former = [{ decision, position: 400n }];
  known = { outcome: "decided", latest: { decision: revision.data, position: 700n }, former };
  const { json } = await get(eventId, owner);
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

attributions.run();
