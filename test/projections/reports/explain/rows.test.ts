import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ask, install, spring } from "../actuals/advertising.ts";
import { uuidOf } from "../facts.ts";
import { impressionsOf, click as ofNetwork, ofTwitter, times, twitter } from "../masking/networks.ts";
import { eventFact, openExplanations, sums } from "./explained.ts";

const explanations = await openExplanations();
const { behind, explained, write, db } = explanations;
const click = { ...ofNetwork, date: "2026-03-01", source: spring };

const explaining = suite("an explanation is");
explaining.after(() => explanations.close());

explaining("of the facts of its row, also where it has no value", async () => {
  const unnamed = { ...click, source: { ...spring, campaign: null } };
  const groupBys = ["event_month", "campaign", "country"];
  const april = { ...click, date: "2026-03-31" };
  const row = (campaign: string | null) => {
    return behind("clicks", { touchpoints: [click, unnamed, unnamed, april] }, { groupBys }, [
      "2026-03",
      campaign,
      "KR",
    ]);
  };
  assert.equal(sums(await row("spring")), [["2", 2]]);
  assert.equal(sums(await row(null)), [["2", 2]]);
  assert.equal(sums(await row("summer")), [["0", 0]]);
});

explaining("in pages in the order of the log", async () => {
  const schema = await write({ touchpoints: [5, 1, 3].map((from) => ({ ...click, from })) });
  const question = ask({ metrics: ["clicks"] });
  for (const size of [1, 2, 100]) {
    const [part] = await explained(schema, question, { groupBys: [], metric: "clicks" }, size);
    assert.equal(
      part?.contributions.map(({ fact }) => fact.position),
      ["1", "3", "5"],
    );
  }
});

explaining("of facts that pass the filters and channels of its report", async () => {
  const schema = await write({ touchpoints: [click, { ...click, source: { ...spring, channel: "kakao" } }] });
  const question = ask({ filters: [{ dimension: "channel", filterType: "IN", values: ["kakao"] }] });
  const cell = { groupBys: [], metric: "clicks" };
  assert.equal(sums(await explained(schema, question, cell)), [["1", 1]]);
  assert.equal(sums(await explained(schema, { ...question, onlyChannels: ["partner"] }, cell)), [["0", 0]]);
});

explaining("of a relabelled event where it counts at the position, with the position since when it does", async () => {
  const schema = await write({
    appEvents: [
      { ...install, to: 6, label: null },
      { ...install, from: 6 },
    ],
  });
  await db.raw(`update ${schema}.app_events set event_id = ?`, [uuidOf(7)]);
  const explainedAt = async (position: number, channel: string) => {
    const question = { ...ask({ groupBys: ["channel"], metrics: ["app_installs"] }), position };
    const [part] = await explained(schema, question, { groupBys: [channel], metric: "app_installs" });
    return part?.contributions.map(({ fact }) => fact);
  };
  const fact = eventFact(7, "app_install", 2);
  assert.equal(await explainedAt(5, "unattributed"), [{ ...fact, channel: "unattributed", campaign: null }]);
  assert.equal(await explainedAt(5, "partner"), []);
  assert.equal(await explainedAt(6, "partner"), [{ ...fact, countsFrom: "6" }]);
  assert.equal(await explainedAt(6, "unattributed"), []);
});

explaining("of unmasked facts, with only the reason of withheld ones", async () => {
  const advertised = {
    touchpoints: [click, { ...ofNetwork, date: "2026-03-10" }],
    appEvents: [{ ...ofTwitter, category: "app_order_complete", cents: 900, currency: "EUR" }, ofTwitter],
  };
  const [clicks] = await behind("clicks", advertised);
  assert.equal([clicks?.sum, clicks?.found, clicks?.maskingReasons], ["1", 1, ["small_month"]]);
  assert.equal(await behind("app_revenue", advertised), [
    {
      counts: {
        kind: "money",
        adds: { categories: ["app_order_complete", "app_subscribe"] },
        subtracts: ["app_order_cancel"],
      },
      sum: "0",
      found: 0,
      unconverted: { count: 0, currencies: [] },
      maskingReasons: ["small_month"],
      contributions: [],
    },
  ]);
  const [devices] = await behind("app_installs_users", { appEvents: [ofTwitter, { ...install, date: "2026-03-20" }] });
  assert.equal([devices?.sum, devices?.found, devices?.maskingReasons], ["1", 1, ["small_month"]]);
});

explaining("silent on the touchpoint of an event when that one is withheld", async () => {
  const march = { ...ofNetwork, date: "2026-03-01" };
  const wonBy = (touchpoint: number) => ({
    ...ofTwitter,
    label: { source: twitter, kind: "click" as const, touchpoint },
  });
  const [installs] = await behind("app_installs", {
    touchpoints: [{ ...march, date: "2026-02-28" }, march],
    appEvents: [...times(100, wonBy(0)), wonBy(1)],
    uploads: { spend: [impressionsOf(1_001)] },
  });
  const touchpointIds = installs?.contributions.map(({ fact }) => fact.kind === "app_event" && fact.touchpointId);
  assert.equal(touchpointIds, [...times(100, null), uuidOf(1)]);
});

explaining("leaves out a withheld touchpoint up to 61 dates before the event", async () => {
  // The two windows of 30 days span 61 dates where clocks were put forward.
  const dates = ["2026-01-01", "2025-12-31", "2025-12-30"];
  const wonBy = (touchpoint: number) => ({
    ...ofTwitter,
    date: "2026-03-01",
    label: { source: twitter, kind: "click" as const, touchpoint },
  });
  const [installs] = await behind(
    "app_installs",
    {
      touchpoints: dates.map((date) => ({ ...ofNetwork, date })),
      appEvents: dates.flatMap((_, index) => times(34, wonBy(index))),
      uploads: { spend: [impressionsOf(1_001)] },
    },
    { from: "2026-03-01", to: "2026-03-01" },
  );
  const touchpointIds = installs?.contributions.map(({ fact }) => fact.kind === "app_event" && fact.touchpointId);
  assert.equal(touchpointIds, times(102, null));
});

explaining.run();
