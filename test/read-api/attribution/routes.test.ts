import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { parseRules } from "../../../domain/attribution/rules-format.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import type { DeviceDecision } from "../../../projections/facts/queries.ts";
import type { ShownAttribution } from "../../../projections/reports/attributions/shown-attribution.ts";
import { attributionReadRoutes, attributionRulesReadRoutes } from "../../../read-api/attribution/routes.ts";
import { anInstall } from "../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../examples/decisions.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { type ServedRoutes, serveRoutes } from "../../support/served-routes.ts";

const { eventId } = anInstall().data;
const { data: decision } = wonBy(anInstall(), aClick());

let application: ServedRoutes;
let known: ShownAttribution = { outcome: "unknown" };
let inForce = defaultRules;
let decided: readonly DeviceDecision[] = [];
let isLogAway = false;
let selfAttributingNetwork = "network";
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
    ...attributionReadRoutes({
      attributionOf,
      recordRead: async (read, { principal }) => {
        if (isLogAway) throw new EventLogUnavailable("away");
        requested.push([read, principal.kind]);
      },
      deviceKey: (_salt, deviceId) => `key of ${deviceId}`,
      decisionsOfDevice: async ({ appId }, deviceKey, page) => {
        requested.push([appId, deviceKey, page]);
        return { rows: decided, totalCount: 7 };
      },
      channelMonths: () => {
        const network = selfAttributingNetwork;
        return { isSelfAttributing: async (channel) => channel === network, isSmallMonth: async () => true };
      },
    }),
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

attributions("returns the decision as it was recorded", async () => {
  known = { outcome: "decided", latest: { decision, position: 400n }, former: [] };
  const { status, json } = await get(eventId.toUpperCase());
  assert.equal([status, json], [200, { data: { ...decision, asOfPosition: "400", formerDecisions: [] } }]);
  assert.equal(requested, [[1, eventId]]);
});

attributions("returns the revised decisions next to a revision", async () => {
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

const ofDevice = suite("GET /admin/v1/apps/{app_name}/attributions?deviceId=");
ofDevice.before.each(() => {
  requested.length = 0;
  isLogAway = false;
});

const won = aClick();
const ofNetwork = wonBy(anInstall({ eventId: exampleUuid("install", 2) }), {
  ...won,
  data: { ...won.data, source: { ...won.data.source, channel: "network" } },
});

ofDevice("has the decision in force on each event, without withheld data, and records the read first", async () => {
  decided = [
    { decision: ofNetwork.data, position: 500n, revisions: 1 },
    { decision, position: 400n, revisions: 0 },
    { decision: unattributed(anInstall({ eventId: exampleUuid("install", 3) })).data, position: 300n, revisions: 0 },
  ];
  const { status, json } = await read("attributions?deviceId=phone%201&skip=1&size=3");
  const nothing = {
    channelType: null,
    trackingLinkId: null,
    isReengagement: null,
    campaignParams: null,
    publisher: null,
  };
  const restricted = {
    ...{ touchpointId: null, kind: null, at: null, matchedBy: null },
    source: { channel: "restricted", ...nothing },
  };
  const { at, category } = decision;
  const attributions = [
    { eventId: ofNetwork.data.eventId, category, at, winner: restricted, revisions: 1, asOfPosition: "500" },
    { eventId, category, at, winner: decision.winner, revisions: 0, asOfPosition: "400" },
    { eventId: exampleUuid("install", 3), category, at, winner: null, revisions: 0, asOfPosition: "300" },
  ];
  assert.equal([status, json], [200, { data: { totalCount: 7, attributions } }]);
  assert.equal(requested, [
    [{ appId: 1, what: "attributions", deviceKey: "key of phone 1" }, "token"],
    [1, "key of phone 1", { skip: 1, size: 3 }],
  ]);
});

ofDevice("masks by the data of each request", async () => {
  decided = [{ decision: ofNetwork.data, position: 500n, revisions: 0 }];
  const channels: string[] = [];
  for (selfAttributingNetwork of ["another", "network"]) {
    const { json } = await read("attributions?deviceId=phone");
    const { data } = json as { data: { attributions: { winner: { source: { channel: string } } }[] } };
    channels.push(...data.attributions.map(({ winner }) => winner.source.channel));
  }
  assert.equal(channels, ["network", "restricted"]);
});

ofDevice("is 503 and reads nothing without the log", async () => {
  isLogAway = true;
  assert.is((await read("attributions?deviceId=a")).status, 503);
  assert.equal(requested, []);
});

for (const [what, query, status] of [
  ["no device", "", 400],
  ["an empty id", "?deviceId=", 400],
  ["127 characters", `?deviceId=${"a".repeat(127)}`, 200],
  ["128 characters", `?deviceId=${encodeURIComponent("가".repeat(128))}`, 200],
  ["129 characters", `?deviceId=${"a".repeat(129)}`, 400],
  ["a page of 501", "?deviceId=a&size=501", 400],
] as const) {
  ofDevice(`with ${what} is ${status}`, async () => {
    assert.is((await read(`attributions${query}`)).status, status);
    assert.is(requested.length, status === 200 ? 2 : 0);
  });
}

const rules = suite("GET /admin/v1/apps/{app_name}/attribution-rules");
rules.after(() => application.close());

rules("returns the rules in force", async () => {
  const written = {
    click: { device: "7d", probabilistic: "24h" },
    impression: { device: "24h", probabilistic: "6h" },
    attributionWindow: "30d",
    channels: {},
  };
  assert.equal((await read("attribution-rules")).json, { data: { attributionRules: written } });
  inForce = parseRules({ attributionWindow: "90m" });
  assert.equal((await read("attribution-rules")).json, {
    data: { attributionRules: { ...written, attributionWindow: "90m" } },
  });
});

attributions.run();
ofDevice.run();
rules.run();
