import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AttributionEvent } from "../../../../domain/attribution/events.ts";
import { maxRevisions } from "../../../../domain/attribution/revisions.ts";
import { shownAttribution } from "../../../../projections/reports/attributions/shown-attribution.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall } from "../../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../../examples/decisions.ts";
import { aLargeMonth, twitter } from "../../../examples/large-months.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../../facts/facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const install = anInstall();
const { eventId } = install.data;
const query = { appId: 1, timezone: "Asia/Seoul", eventId, now: new Date("2026-03-10T00:00:00Z") };
const click = aClick();
const tweet = aClick({ source: twitter });

/** All that is shown of a withheld winner. */
const nothing = { touchpointId: null, kind: null, at: null, matchedBy: null };
const restricted = {
  winner: {
    ...nothing,
    source: {
      channel: "restricted",
      channelType: null,
      trackingLinkId: null,
      isReengagement: null,
      campaignParams: null,
      publisher: null,
    },
  },
  candidates: [{ ...nothing, verdict: "won", channel: "restricted" }],
};

async function shownAfter(...events: Parameters<typeof recordedLog>[0]) {
  await tables.clear();
  await tables.apply(recordedLog([shopRegistered, ...events]));
  const attribution = await shownAttribution(tables, query);
  assert.is(attribution.outcome, "decided");
  if (attribution.outcome !== "decided") throw new Error("It is decided");
  return attribution.latest.decision;
}

const attributions = suite("an attribution in a response");
attributions.after(() => db.destroy());

attributions("names the winner and the losers", async () => {
  const decided = wonBy(install, click);
  assert.equal(await shownAfter(click, install, decided), decided.data);
});

attributions("shows nothing of a withheld touchpoint", async () => {
  const decided = wonBy(install, tweet);
  assert.equal(await shownAfter(tweet, install, decided), { ...decided.data, ...restricted });
});

attributions("shows nothing of a touchpoint if the month of it or of the event that it won is withheld", async () => {
  const [ofJanuary, ofFebruary] = [
    aClick({ at: "2026-01-31T14:59:59.999Z", source: twitter }),
    aClick({ at: "2026-02-28T14:59:59.999Z", source: twitter }),
  ];
  const [firstOfFebruary, lastOfFebruary, firstOfMarch] = [
    anInstall({ at: "2026-01-31T15:00:00.000Z" }),
    anInstall({ at: ofFebruary.data.at }),
    anInstall({ at: "2026-02-28T15:00:00.000Z" }),
  ];
  const shownFor = (won: typeof install, by: typeof click) =>
    shownAfter(...aLargeMonth("2026-02"), by, won, wonBy(won, by));
  assert.equal(await shownFor(lastOfFebruary, ofFebruary), wonBy(lastOfFebruary, ofFebruary).data);
  for (const [won, by] of [
    [firstOfMarch, ofFebruary],
    [firstOfFebruary, ofJanuary],
  ] as const) {
    assert.equal(await shownFor(won, by), { ...wonBy(won, by).data, ...restricted });
  }
});

attributions("lists a touchpoint that arrived after the decision and lost", async () => {
  const late = aClick({ touchpointId: exampleUuid("click", 9), at: "2026-03-01T00:00:00.000Z" });
  const decided = wonBy(install, click);
  const { candidates } = await shownAfter(click, install, decided, late);
  assert.equal(candidates.slice(0, -1), decided.data.candidates);
  const [last] = candidates.slice(-1);
  assert.equal(
    [last?.touchpointId, last?.arrivedLater, last?.verdict === "won"],
    [late.data.touchpointId, true, false],
  );
});

attributions("counts touchpoints that would win after the last possible revision as not ranked", async () => {
  const lateClick = (number: number) =>
    aClick({
      touchpointId: exampleUuid("click", 100 + number),
      at: new Date(Date.parse(click.data.at) + number * 1_000).toISOString(),
    });
  const shownWith = async (revisions: number, more: number) => {
    const decided = wonBy(install, click);
    const events: Parameters<typeof recordedLog>[0][number][] = [click, install, decided];
    let latest: AttributionEvent = decided;
    for (let number = 1; number <= revisions + more; number += 1) {
      events.push(lateClick(number));
      if (number > revisions) continue;
      latest = revisedBy(latest, lateClick(number));
      events.push(latest);
    }
    const { winner, candidates, otherCandidates } = await shownAfter(...events);
    assert.equal([winner, candidates], [latest.data.winner, latest.data.candidates]);
    return otherCandidates;
  };
  assert.equal(await shownWith(maxRevisions - 1, 1), {});
  assert.equal(await shownWith(maxRevisions, 0), {});
  assert.equal(await shownWith(maxRevisions, 1), { not_ranked: 1 });
  assert.equal(await shownWith(maxRevisions, 2), { not_ranked: 2 });
});

attributions("judges one that arrived later and matches twice by its stronger match", async () => {
  const decided = unattributed(install);
  const rules = { ...decided.data.rules, click: { device: 1_800, probabilistic: 86_400 } };
  const late = aClick({ deviceKey: install.data.deviceKey });
  const { candidates, otherCandidates } = await shownAfter(
    install,
    { ...decided, data: { ...decided.data, rules } },
    late,
  );
  assert.equal(
    [candidates.map(({ matchedBy, verdict }) => [matchedBy, verdict]), otherCandidates],
    [[["device_id", "outside_lookback"]], {}],
  );
});

attributions("shows nothing of a withheld one that arrived later", async () => {
  const late = {
    ...tweet,
    data: { ...tweet.data, touchpointId: exampleUuid("click", 9), at: "2026-02-15T00:00:00.000Z" },
  };
  const { candidates } = await shownAfter(install, unattributed(install), late);
  assert.equal(
    candidates.map(({ touchpointId, channel, verdict }) => [touchpointId, channel, verdict]),
    [[null, "restricted", "outside_lookback"]],
  );
});

attributions.run();
