import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SomeFacts } from "../report-facts.ts";
import { ask, cellsOf, install, openFacts, order, spend, spring, visits } from "./advertising.ts";
import type { ReferenceQuestion } from "./reference.ts";

const facts = await openFacts();
const cells = async (advertised: SomeFacts, ...questions: readonly ReferenceQuestion[]) =>
  (await facts.answer(advertised, ...questions)).map(cellsOf);
const byDateAndCampaign = ["event_date", "channel", "campaign"];
const spendMetrics = ["impressions_channel", "clicks_channel", "cost_channel", "cpi", "cpc", "cpm", "roas"];

const uploaded = suite("uploaded data in an actuals report");
uploaded.after(() => facts.close());

uploaded("is in one row with the installs of its date, channel and campaign", async () => {
  const appEvents = [install, { ...install, device: 2 }, { ...order, cents: 7500 }];
  const question = ask({ groupBys: byDateAndCampaign, metrics: ["app_installs", ...spendMetrics] });
  const [result] = await facts.answer({ appEvents, uploads: { spend: [spend] } }, question);
  assert.equal(result?.rows, [
    {
      groupBys: ["2026-03-01", "partner", "spring"],
      values: ["2", "1000", "40", "50", "25", "1.25", "50", "150"],
      masked: Array.from({ length: 8 }, () => false),
    },
  ]);
  assert.equal(result?.notifications, []);
});

uploaded("has no ratio to nothing", async () => {
  const free = { ...spend, impressions: 0, clicks: 0 };
  const revenueAlone = { ...order, label: { source: { ...spring, campaign: "summer" }, kind: "click" as const } };
  assert.equal(
    await cells(
      { appEvents: [revenueAlone], uploads: { spend: [free] } },
      ask({ groupBys: ["campaign"], metrics: spendMetrics, sorts: [{ fieldName: "campaign", isAscending: true }] }),
      ask({ metrics: spendMetrics, to: "2026-03-31", from: "2026-03-02" }),
    ),
    [
      [
        [["spring"], ["0", "0", "50", null, null, null, "0"]],
        [["summer"], ["0", "0", "0", null, null, null, null]],
      ],
      [[[], ["0", "0", "0", null, null, null, null]]],
    ],
  );
});

uploaded("adds the rows of one key up", async () => {
  const deeper = { ...spend, ad_group: "newcomers", impressions: 1, clicks: 1, cents: 1 };
  assert.equal(
    await cells({ uploads: { spend: [spend, spend, deeper] } }, ask({ groupBys: ["campaign"], metrics: spendMetrics })),
    [[[["spring"], ["2001", "81", "100.01", null, "1.2346913580246914", "49.9800099950024988", "0"]]]],
  );
});

uploaded("is deleted by zeros: a row without other values disappears", async () => {
  const zeroed = { ...spend, impressions: 0, clicks: 0, cents: 0 };
  const metrics = ["app_installs", ...spendMetrics];
  const question = ask({ groupBys: ["campaign"], metrics });
  const nothing = ["0", "0", "0", "0", null, null, null, null];
  assert.equal(await cells({ uploads: { spend: [zeroed] } }, question, ask({ metrics })), [[], [[[], nothing]]]);
  assert.equal(await cells({ appEvents: [install], uploads: { spend: [zeroed] } }, question), [
    [[["spring"], ["1", "0", "0", "0", null, null, null, null]]],
  ]);
});

uploaded("counts while it is in force: not when staged, not when replaced", async () => {
  const uploads = {
    spend: [
      { ...spend, from: null, cents: 100 },
      { ...spend, from: 4, to: 6, cents: 200 },
      { ...spend, from: 6, cents: 400 },
    ],
    uploadedMetrics: [
      { ...visits, from: null, cents: 100 },
      { ...visits, from: 4, to: 6, cents: 200 },
      { ...visits, from: 6, cents: 400 },
    ],
  };
  const question = ask({ metrics: ["cost_channel", "Store visits"] });
  const at = [3, 4, 5, 6, 7].map((position) => ({ ...question, position }));
  assert.equal(
    (await cells({ uploads }, ...at)).map(([row]) => row?.[1]),
    [
      ["0", "0"],
      ["2", "2"],
      ["2", "2"],
      ["4", "4"],
      ["4", "4"],
    ],
  );
});

uploaded("is filtered and sorted like measured data", async () => {
  const uploads = {
    spend: [
      spend,
      { ...spend, campaign: "summer", country: "DE", cents: 100 },
      { ...spend, campaign: "autumn", cents: 300 },
    ],
  };
  const question = { groupBys: ["campaign"], metrics: ["cost_channel"] };
  const filter = (dimension: string, filterType: "IN" | "NOT IN", ...values: string[]) => {
    return ask({ ...question, filters: [{ dimension, filterType, values }] });
  };
  const campaigns = (
    await cells(
      { uploads },
      ask({ ...question, sorts: [{ fieldName: "cost_channel", isAscending: true }] }),
      ask(question),
      filter("country", "IN", "DE"),
      filter("country", "IN", ""),
      filter("campaign", "NOT IN", "summer", "autumn"),
      filter("event_type", "IN", "uploaded"),
      filter("event_type", "NOT IN", "uploaded"),
      filter("event_source", "IN", ""),
    )
  ).map((rows) => rows.map(([groupBys]) => groupBys[0]));
  assert.equal(campaigns, [
    ["summer", "autumn", "spring"],
    ["spring", "autumn", "summer"],
    ["summer"],
    ["spring", "autumn"],
    ["spring"],
    ["spring", "autumn", "summer"],
    [],
    ["spring", "autumn", "summer"],
  ]);
});

uploaded("metrics add up under their names, those below 0 too; those of 0 make no row", async () => {
  const uploads = {
    uploadedMetrics: [
      visits,
      { ...visits, cents: 50 },
      { ...visits, event_category: "Margin", cents: -125 },
      { ...visits, event_category: "Leads", campaign: "summer", cents: 0 },
    ],
  };
  const metrics = ["Store visits", "Margin", "Leads", "store visits"];
  assert.equal(await cells({ uploads }, ask({ groupBys: ["campaign"], metrics })), [
    [[["spring"], ["3.5", "-1.25", "0", "0"]]],
  ]);
});

uploaded.run();
