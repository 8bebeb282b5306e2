import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Contribution } from "../../../../projections/reports/explain/explanation.ts";
import { install, order, ratesOf, spend, spring, visits } from "../actuals/advertising.ts";
import { uuidOf } from "../facts.ts";
import { click as ofNetwork } from "../masking/networks.ts";
import { at, eventFact, openExplanations, sums } from "./explained.ts";

const explanations = await openExplanations();
const { behind } = explanations;
const click = { ...ofNetwork, date: "2026-03-01", source: spring };
const nothing = { unconverted: { count: 0, currencies: [] }, maskingReasons: [] };
const plain = { amount: null, rate: null };
const advertising = { channel: "partner", campaign: "spring" };
const clickFact = (index: number, position: number) => {
  const ids = { kind: "touchpoint", touchpointId: uuidOf(index), position: String(position) } as const;
  return { ...ids, occurredAt: at, touchpointKind: "click" as const, ...advertising };
};
const rowFact = (kind: "spend_row" | "metric_row", index: number) => {
  return { kind, requestId: uuidOf(index), row: 2, position: "4", date: "2026-03-01", ...advertising };
};
const added = ({ contributions }: { readonly contributions: readonly Contribution[] }) =>
  contributions.map(({ contribution }) => contribution);

const explaining = suite("the contributions of an explanation");
explaining.after(() => explanations.close());

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

explaining("of distinct devices: every event; the first of each device by event time counts", async () => {
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

explaining("of money: the sent amount, the rate of its day or of the latest earlier one, and the value", async () => {
  const parts = await behind("app_revenue", {
    appEvents: [
      { ...order, cents: 1_000 },
      { ...order, cents: 250, currency: "EUR", date: "2026-03-02" },
      { ...order, cents: 50, category: "app_order_cancel" },
      { ...order, cents: null },
      { ...order, cents: 700, currency: "USD" },
      { ...order, cents: 800, currency: "USD" },
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
      unconverted: { count: 2, currencies: ["USD"] },
      maskingReasons: [],
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

explaining("of a ratio: both parts, each with its contributions", async () => {
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

explaining.run();
