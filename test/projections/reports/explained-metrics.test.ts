import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../infra/postgres/database.ts";
import type { Contribution, ExplainedPart } from "../../../projections/reports/explain-actuals.ts";
import { testPostgres } from "../../stores.ts";
import { type Advertised, ask, install, order, ratesOf, spend, spring, visits } from "./advertising.ts";
import { explained } from "./explained.ts";
import { uuidOf, writeFacts } from "./facts.ts";
import { click as ofNetwork, ofTwitter } from "./networks.ts";
import type { ReferenceQuestion } from "./reference.ts";
import { noUploads } from "./uploads.ts";

const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
let schemas = 0;

async function written({ touchpoints = [], appEvents = [], uploads = {} }: Advertised): Promise<string> {
  schemas += 1;
  const schema = `facts_${schemas}`;
  await writeFacts(db, schema, { touchpoints, appEvents, uploads: { ...noUploads, ...uploads } });
  return schema;
}

/** What is behind a metric of a row, by default the only one of a report without group-bys. */
async function behind(
  metric: string,
  advertised: Advertised,
  query: Partial<ReferenceQuestion["query"]> = {},
  groupBys: readonly (string | null)[] = [],
): Promise<readonly ExplainedPart[]> {
  const schema = await written(advertised);
  return explained({ db, schema }, ask({ ...query, metrics: [metric] }), { groupBys, metric });
}

const at = "2026-03-01T00:00:00.000Z";
const click = { ...ofNetwork, date: "2026-03-01", source: spring };
const nothing = { lost: { count: 0, currencies: [] }, withheld: [] };
const plain = { amount: null, rate: null };
const advertising = { channel: "partner", campaign: "spring" };
const clickFact = (index: number, position: number) => {
  const ids = { kind: "touchpoint", touchpointId: uuidOf(index), position: String(position) } as const;
  return { ...ids, occurredAt: at, touchpointKind: "click" as const, ...advertising };
};
const eventFact = (index: number, category: string, position: number, device = 1) => {
  const ids = { kind: "app_event", eventId: uuidOf(index), position: String(position) } as const;
  const said = { occurredAt: at, category, userId: uuidOf(device), touchpointId: null, ...advertising };
  return { ...ids, countsFrom: String(position), ...said };
};
const rowFact = (kind: "spend_row" | "metric_row", index: number) => {
  return { kind, requestId: uuidOf(index), row: 2, position: "4", date: "2026-03-01", ...advertising };
};
const sums = (parts: readonly ExplainedPart[]) => parts.map(({ sum, found }) => [sum, found]);
const added = ({ contributions }: { readonly contributions: readonly Contribution[] }) =>
  contributions.map(({ contribution }) => contribution);

const explaining = suite("what an explanation tells");
explaining.after(() => db.destroy());

explaining("of touchpoints: each human one of the kinds that count, the earliest position first", async () => {
  const touchpoints = [
    { ...click, from: 5 },
    click,
    { ...click, kind: "impression" } as const,
    { ...click, human: false },
    { ...click, from: 10 },
  ];
  assert.equal(await behind("clicks", { touchpoints }), [
    {
      counts: { kind: "touchpoints", of: ["click"] },
      sum: "2",
      found: 2,
      ...nothing,
      contributions: [
        { fact: clickFact(1, 1), ...plain, contribution: "1" },
        { fact: clickFact(0, 5), ...plain, contribution: "1" },
      ],
    },
  ]);
});

explaining("of events: those that the metric selects, with the channel and the device they count for", async () => {
  const appEvents = [install, { ...install, isFirstOfDevice: false }, order];
  assert.equal(await behind("app_first_installs", { appEvents }), [
    {
      counts: { kind: "events", of: { categories: ["app_install"], first: true } },
      sum: "1",
      found: 1,
      ...nothing,
      contributions: [{ fact: eventFact(0, "app_install", 2), ...plain, contribution: "1" }],
    },
  ]);
});

explaining("of an event that was relabelled: where it stands in the log, and from where it counts so", async () => {
  const schema = await written({
    appEvents: [
      { ...install, to: 6, label: null },
      { ...install, from: 6 },
    ],
  });
  await db.raw(`update ${schema}.app_events set event_id = ?`, [uuidOf(7)]);
  const told = async (position: number, channel: string) => {
    const question = { ...ask({ groupBys: ["channel"], metrics: ["app_installs"] }), position };
    const [part] = await explained({ db, schema }, question, { groupBys: [channel], metric: "app_installs" });
    return part?.contributions.map(({ fact }) => fact);
  };
  const fact = eventFact(7, "app_install", 2);
  assert.equal(await told(5, "unattributed"), [{ ...fact, channel: "unattributed", campaign: null }]);
  assert.equal(await told(5, "partner"), []);
  assert.equal(await told(6, "partner"), [{ ...fact, countsFrom: "6" }]);
  assert.equal(await told(6, "unattributed"), []);
});

explaining("of distinct devices: every event, of which each device's first by event time counts", async () => {
  const appEvents = [
    { ...install, date: "2026-03-02" },
    { ...install, from: 3 },
    { ...install, from: 4, device: 2 },
    { ...install, from: 5, device: 2 },
  ];
  const [part] = await behind("app_installs_users", { appEvents });
  assert.equal(
    part?.contributions.map(({ fact, contribution }) => ["userId" in fact && fact.userId, contribution]),
    [
      [uuidOf(1), "0"],
      [uuidOf(1), "1"],
      [uuidOf(2), "1"],
      [uuidOf(2), "0"],
    ],
  );
  assert.equal([part?.sum, part?.found], ["2", 4]);
});

explaining("of money: what was sent, the rate of its day or of the latest before it, and what it adds", async () => {
  const parts = await behind("app_revenue", {
    appEvents: [
      { ...order, cents: 1_000 },
      { ...order, cents: 250, currency: "EUR", date: "2026-03-02" },
      { ...order, cents: 50, category: "app_order_cancel" },
      { ...order, cents: null },
      { ...order, cents: 700, currency: "USD" },
    ],
    uploads: { rates: ratesOf("2026-02-20", "EUR", { KRW: "1500" }) },
  });
  const euros = { ...eventFact(1, "app_order_complete", 3), occurredAt: "2026-03-02T00:00:00.000Z" };
  assert.equal(parts, [
    {
      counts: {
        kind: "money",
        adds: { categories: ["app_order_complete", "app_subscribe"] },
        subtracts: ["app_order_cancel"],
      },
      sum: "3759.5",
      found: 3,
      lost: { count: 1, currencies: ["USD"] },
      withheld: [],
      contributions: [
        {
          fact: eventFact(0, "app_order_complete", 3),
          amount: { value: "10", currency: "KRW" },
          rate: null,
          contribution: "10",
        },
        {
          fact: euros,
          amount: { value: "2.5", currency: "EUR" },
          rate: { date: "2026-02-20", appUnits: "1500", ownUnits: "1" },
          contribution: "3750",
        },
        {
          fact: eventFact(2, "app_order_cancel", 3),
          amount: { value: "0.5", currency: "KRW" },
          rate: null,
          contribution: "-0.5",
        },
      ],
    },
  ]);
});

explaining("of ad spend: the rows in force, but for those of zeros", async () => {
  const rows = [
    spend,
    { ...spend, to: 8 },
    { ...spend, from: null },
    { ...spend, impressions: 0, clicks: 0, cents: 0 },
    { ...spend, impressions: 0, cents: 25 },
  ];
  const advertised = { uploads: { spend: rows } };
  assert.equal(await behind("impressions_channel", advertised), [
    {
      counts: { kind: "spend", of: "impressions" },
      sum: "1000",
      found: 2,
      ...nothing,
      contributions: [
        { fact: rowFact("spend_row", 0), ...plain, contribution: "1000" },
        { fact: rowFact("spend_row", 4), ...plain, contribution: "0" },
      ],
    },
  ]);
  const [cost] = await behind("cost_channel", advertised);
  assert.equal(cost?.contributions[1], {
    fact: rowFact("spend_row", 4),
    amount: { value: "0.25", currency: "KRW" },
    rate: null,
    contribution: "0.25",
  });
  assert.is(cost?.sum, "50.25");
});

explaining("of an uploaded metric: plain numbers and amounts of that name", async () => {
  const uploadedMetrics = [visits, { ...visits, event_category: "Margin" }, { ...visits, cents: -50, currency: "KRW" }];
  const fact = (index: number) => ({ ...rowFact("metric_row", index), eventCategory: "Store visits" });
  assert.equal(await behind("Store visits", { uploads: { uploadedMetrics } }), [
    {
      counts: { kind: "uploaded", category: "Store visits" },
      sum: "2.5",
      found: 2,
      ...nothing,
      contributions: [
        { fact: fact(0), amount: { value: "3", currency: null }, rate: null, contribution: "3" },
        { fact: fact(2), amount: { value: "-0.5", currency: "KRW" }, rate: null, contribution: "-0.5" },
      ],
    },
  ]);
});

explaining("of a metric in another: both, each with what it adds", async () => {
  const parts = await behind("cpi", {
    appEvents: [install, { ...install, device: 2 }],
    uploads: { spend: [spend] },
  });
  assert.equal(
    parts.map(({ counts, sum }) => [counts.kind, sum]),
    [
      ["cost", "50"],
      ["events", "2"],
    ],
  );
  assert.equal(parts.map(added), [["50"], ["1", "1"]]);
});

explaining("of events by a bare name: custom ones", async () => {
  const appEvents = [
    { ...order, category: "custom:level up" },
    { ...order, category: "custom:other" },
  ];
  assert.equal(sums(await behind("custom:level up", { appEvents })), [["1", 1]]);
  assert.equal(sums(await behind("custom_users:other", { appEvents })), [["1", 1]]);
});

explaining("of a row: its own facts, also where it says nothing", async () => {
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

explaining("of a report with filters, or over some channels: what passes them", async () => {
  const schema = await written({ touchpoints: [click, { ...click, source: { ...spring, channel: "kakao" } }] });
  const question = ask({ filters: [{ dimension: "channel", filterType: "IN", values: ["kakao"] }] });
  const cell = { groupBys: [], metric: "clicks" };
  assert.equal(sums(await explained({ db, schema }, question, cell)), [["1", 1]]);
  assert.equal(sums(await explained({ db, schema }, { ...question, onlyChannels: ["partner"] }, cell)), [["0", 0]]);
});

explaining("of what is withheld (D7.7): that there is some, and neither which nor how much", async () => {
  const advertised = {
    touchpoints: [click, { ...ofNetwork, date: "2026-03-10" }],
    appEvents: [{ ...ofTwitter, category: "app_order_complete", cents: 900, currency: "EUR" }, ofTwitter],
  };
  const [clicks] = await behind("clicks", advertised);
  assert.equal([clicks?.sum, clicks?.found, clicks?.withheld], ["1", 1, ["small_month"]]);
  assert.equal(await behind("app_revenue", advertised), [
    {
      counts: {
        kind: "money",
        adds: { categories: ["app_order_complete", "app_subscribe"] },
        subtracts: ["app_order_cancel"],
      },
      sum: "0",
      found: 0,
      lost: { count: 0, currencies: [] },
      withheld: ["small_month"],
      contributions: [],
    },
  ]);
  const [devices] = await behind("app_installs_users", { appEvents: [ofTwitter, { ...install, date: "2026-03-20" }] });
  assert.equal([devices?.sum, devices?.found, devices?.withheld], ["1", 1, ["small_month"]]);
});

explaining.run();
