import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AttributionRulesChanged } from "../../../../domain/apps/events.ts";
import { defaultRules } from "../../../../domain/attribution/default-rules.ts";
import { openRevisions } from "../../../../projections/facts/attribution/revisions.ts";
import { attributionOf, decisionInForce, hasUndecidedTargets } from "../../../../projections/facts/queries.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const [click, install] = [aClick(), anInstall()];
const decided = wonBy(install, click);
const late = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-01T09:30:00.000Z" });
const { eventId } = install.data;

/**
 * Late touchpoints of which a revision is due, after the shop is registered at 100 and `events` follow at 200, 300...
 */
async function dueAfter(...events: Parameters<typeof recordedLog>[0]): Promise<readonly unknown[]> {
  await tables.clear();
  await tables.apply(recordedLog([shopRegistered, ...events]));
  return (await openRevisions(tables, 10)).map(({ target, late: { touchpointId, position, matchedBy } }) => {
    assert.is(target.eventId, eventId);
    return [touchpointId, position, matchedBy];
  });
}

const revisions = suite("a revision");

revisions("is due from the late touchpoint's position on, and reports there wait until it is stored", async () => {
  const due = await dueAfter(click, install, decided, late);
  assert.equal(due, [[late.data.touchpointId, 500n, "probabilistic"]]);
  const waits = () => Promise.all([499n, 500n, 501n].map((position) => hasUndecidedTargets(tables, 1, position)));
  assert.equal([await waits(), await hasUndecidedTargets(tables, 2, 500n)], [[false, true, true], false]);
  const revision = revisedBy(decided, late);
  await tables.apply(recordedLog([revision], 900n));
  assert.equal([await waits(), await openRevisions(tables, 10)], [[false, false, false], []]);
  assert.equal(await attributionOf(tables, 1, eventId), {
    outcome: "decided",
    latest: { decision: revision.data, position: 500n },
    former: [{ decision: decided.data, position: 300n }],
  });
  assert.equal(await decisionInForce(tables, 1, eventId), revision.data);
});

revisions(
  "is due when the decision comes after the late touchpoint, also when the target event was unattributed",
  async () => {
    const due = [[late.data.touchpointId, 400n, "probabilistic"]];
    assert.equal(await dueAfter(click, install, late), []);
    assert.equal(await dueAfter(click, install, late, decided), due);
    assert.equal(await dueAfter(click, install, late, unattributed(install)), due);
  },
);

revisions("is due because of any identifier that both sides have", async () => {
  const id = "38400000-8cf0-11bd-b23e-10b96e40000d";
  const { touchpointId } = late.data;
  for (const [ofTarget, ofTouchpoint, match] of [
    [{ clickId: touchpointId }, {}, "click_id"],
    [{ deviceKey: phone }, { deviceKey: phone }, "device_id"],
    [{ person: { deviceId: "phone", gaid: id } }, { person: { gaid: id } }, "device_id"],
    [{ person: { deviceId: "phone", idfa: id } }, { person: { idfa: id } }, "device_id"],
    [{ person: { deviceId: "phone", idfv: id } }, { person: { idfv: id } }, "device_id"],
  ] as const) {
    const target = anInstall(ofTarget);
    const touchpoint = aClick({ ...late.data, os: null, person: {}, ...ofTouchpoint });
    assert.equal(await dueAfter(click, target, unattributed(target), touchpoint), [[touchpointId, 500n, match]]);
  }
});

revisions("is due for each late touchpoint that beats the one before, in the order of the log", async () => {
  const next = aClick({ touchpointId: exampleUuid("click", 3), at: "2026-03-01T09:40:00.000Z" });
  assert.equal(await dueAfter(click, install, decided, late, next), [
    [late.data.touchpointId, 500n, "probabilistic"],
    [next.data.touchpointId, 600n, "probabilistic"],
  ]);
});

revisions("is due in the order of the log, also when a later touchpoint happened before", async () => {
  const seen = anImpression({ touchpointId: exampleUuid("impression", 2), at: "2026-03-01T09:50:00.000Z" });
  assert.equal(await dueAfter(install, unattributed(install), seen, late), [
    [seen.data.touchpointId, 400n, "probabilistic"],
    [late.data.touchpointId, 500n, "probabilistic"],
  ]);
});

revisions("of two apps with the same ids are due by the rules and decisions of each", async () => {
  const other = { ...shopRegistered, data: { ...shopRegistered.data, appId: 2, name: "second" } };
  const rules = { ...defaultRules, click: { ...defaultRules.click, probabilistic: 0 } };
  const without: AttributionRulesChanged = { type: "AttributionRulesChanged", data: { appId: 1, rules } };
  const of = (appId: number) => {
    const target = anInstall({ appId });
    return { target, decision: unattributed(target), touchpoint: aClick({ ...late.data, appId }) };
  };
  const [first, second] = [of(1), of(2)];
  await tables.clear();
  await tables.apply(recordedLog([shopRegistered, other, without, first.target, second.target]));
  await tables.apply(recordedLog([first.decision, second.decision, first.touchpoint, second.touchpoint], 600n));
  const due = (await openRevisions(tables, 10)).map(({ target, late: { position } }) => [target.appId, position]);
  assert.equal(due, [[2, 900n]]);
  await tables.apply(recordedLog([revisedBy(second.decision, second.touchpoint)], 1000n));
  const positionOf = async (appId: number) => {
    const attribution = await attributionOf(tables, appId, eventId);
    return attribution.outcome === "decided" ? attribution.latest.position : attribution.outcome;
  };
  assert.equal([await openRevisions(tables, 10), await positionOf(1), await positionOf(2)], [[], 400n, 900n]);
});

revisions("is due because of a touchpoint at the very moment of the target event", async () => {
  const due = await dueAfter(click, install, decided, aClick({ ...late.data, at: install.data.at }));
  assert.equal(due, [[late.data.touchpointId, 500n, "probabilistic"]]);
});

revisions("is not due because of a touchpoint that cannot win", async () => {
  const changes = [
    { at: "2026-03-01T08:59:59.999Z" },
    { at: "2026-03-01T10:00:00.001Z" },
    { verdict: { human: false, bot: "spider" } },
    { source: { ...springSale, isReengagement: "ON-TRUE" } },
    { person: { ip: "203.0.113.9" } },
    { os: "iOS" },
    { osVersion: "14" },
  ] as const;
  for (const change of changes) {
    assert.equal(await dueAfter(click, install, decided, aClick({ ...late.data, ...change })), []);
  }
  assert.equal(await dueAfter(click, install, decided, anImpression({ at: late.data.at })), []);
  assert.equal(await dueAfter(late, click, install, wonBy(install, late)), []);
});

revisions("is not due because of a repeated touchpoint", async () => {
  assert.equal(await dueAfter(click, install, decided, aClick({ at: late.data.at })), []);
});

revisions("is due within the lookback window of the rules in force at the target event", async () => {
  const rulesWith = (probabilistic: number): AttributionRulesChanged => {
    const rules = { ...defaultRules, click: { ...defaultRules.click, probabilistic } };
    return { type: "AttributionRulesChanged", data: { appId: 1, rules } };
  };
  const undecided = unattributed(install);
  assert.equal(await dueAfter(rulesWith(1_799), install, undecided, rulesWith(86_400), late), []);
  assert.equal((await dueAfter(rulesWith(0), rulesWith(1_800), install, undecided, rulesWith(0), late)).length, 1);
});

revisions("is due up to 30 days after the late touchpoint, the longest lookback window", async () => {
  const thirtyDays = 30 * 24 * 60 * 60;
  const windows = { device: thirtyDays, probabilistic: thirtyDays };
  const rules = { ...defaultRules, click: windows };
  const longest: AttributionRulesChanged = { type: "AttributionRulesChanged", data: { appId: 1, rules } };
  const dueWith = (at: string) => dueAfter(longest, install, unattributed(install), aClick({ ...late.data, at }));
  const due = [[late.data.touchpointId, 500n, "probabilistic"]];
  assert.equal(await dueWith("2026-01-30T10:00:00.001Z"), due);
  assert.equal(await dueWith("2026-01-30T10:00:00.000Z"), due);
  assert.equal(await dueWith("2026-01-30T09:59:59.999Z"), []);
});

revisions("is due for the next 100 target events of each key", async () => {
  for (const [before, count] of [
    [98, 1],
    [99, 1],
    [100, 0],
  ] as const) {
    const nearer = Array.from({ length: before }, (_, index) =>
      anInstall({ eventId: exampleUuid("nearer", index), at: "2026-03-01T09:45:00.000Z" }),
    );
    assert.is((await dueAfter(...nearer, install, unattributed(install), late)).length, count, `${before}`);
  }
});

revisions.after(() => db.destroy());
revisions.run();
