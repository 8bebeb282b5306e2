// time limit: 240 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { metrics } from "../../../../domain/reporting/catalogue/catalogue.ts";
import { groupBys } from "../../../../domain/reporting/catalogue/group-bys.ts";
import type { ActualsResult } from "../../../../projections/reports/actuals/run.ts";
import type { Touchpoint } from "../facts.ts";
import { times } from "../masking/networks.ts";
import { ask, cellsOf, install, openFacts, order, spend, spring } from "./advertising.ts";
import { aQuestion } from "./generated.ts";
import { someFacts } from "./generated-facts.ts";
import { referenceRows } from "./reference.ts";
import { rounded } from "./reference-measures.ts";

const facts = await openFacts();
const { run } = facts;

function asNumbers({ rows }: ActualsResult) {
  return rows.map((row) => ({
    ...row,
    values: row.values.map((value) => (value === null ? null : rounded(Number(value)))),
  }));
}

const click: Touchpoint = {
  appId: 1,
  from: 1,
  date: "2026-03-01",
  hour: 9,
  client: install.client,
  kind: "click",
  human: true,
  source: spring,
};

const actuals = suite("an actuals report");

actuals.after(() => facts.close());

actuals("equals a plain reference computation, over 100 histories", async () => {
  await fc.assert(
    fc.asyncProperty(someFacts, fc.array(aQuestion, { minLength: 2, maxLength: 2 }), async (written, questions) => {
      for (const [index, result] of (await facts.answer(written, ...questions)).entries()) {
        const question = questions[index] ?? ask({});
        assert.equal(asNumbers(result), referenceRows(written, question), JSON.stringify(question));
      }
    }),
    { numRuns: 100, endOnFailure: true },
  );
});

/** Of each category of app events another number. */
const counts = {
  app_open: 2,
  app_sign_up: 3,
  app_sign_in: 4,
  app_sign_out: 5,
  app_product_view: 6,
  app_add_to_cart: 7,
  app_ad_impression: 8,
  app_ad_click: 9,
  app_uninstall: 10,
  app_deeplink_open: 11,
  app_deeplink_pageview: 12,
  app_order_cancel: 13,
  app_subscribe: 14,
};
const others = Object.entries(counts).flatMap(([category, count]) =>
  times(count, { ...order, category, isFirstOfDevice: false }),
);
/** A click after four impressions, the install that it won, two later ones that nothing won, an order and its costs. */
const written = {
  touchpoints: [click, ...times(4, { ...click, kind: "impression" as const })],
  appEvents: [install, ...times(2, { ...install, isFirstOfDevice: false, label: null }), order, ...others],
  uploads: { spend: [spend] },
};

/** What metrics count of these facts; each metric of users counts the one device. */
const counted: { readonly [metric: string]: string } = {
  impressions: "4",
  clicks: "1",
  touchpoints_impression_click: "5",
  ctr: "0.25",
  app_events: "108",
  app_attributed_events: "106",
  app_event_value: "10.5",
  app_installs: "3",
  app_first_installs: "1",
  app_re_installs: "2",
  app_attributed_installs: "1",
  app_unattributed_installs: "2",
  app_uninstall: "10",
  app_deeplink_opens: "11",
  app_deeplink_pageviews: "12",
  app_order_complete: "1",
  app_first_order_complete: "1",
  app_order_cancel: "13",
  app_subscribe: "14",
  app_revenue: "0.2",
  app_opens: "2",
  app_sign_up: "3",
  app_sign_in: "4",
  app_sign_out: "5",
  app_product_view: "6",
  app_add_to_cart: "7",
  app_ad_impression: "8",
  app_ad_click: "9",
  impressions_channel: "1000",
  clicks_channel: "40",
  cost_channel: "50",
  cpi: "16.666666666666666666666666666667",
  cpc: "1.25",
  cpm: "50",
  roas: "0.4",
};

actuals("counts every metric of the catalogue", async () => {
  const keys = Object.keys(metrics);
  const values = keys.map((key) => (key.endsWith("_users") ? "1" : counted[key]));
  assert.equal(cellsOf(await facts.answerOne(written, ask({ metrics: keys }))), [[[], values]]);
});

actuals("counts each fact once by every key", async () => {
  const schema = await facts.write(written);
  for (const key of Object.keys(groupBys)) {
    const { rows } = await run(schema, ask({ groupBys: [key], metrics: ["clicks", "app_events", "cost_channel"] }));
    const sums = [0, 1, 2].map((index) => rows.reduce((sum, { values }) => sum + Number(values[index]), 0));
    assert.equal(sums, [1, 108, 50], key);
  }
});

actuals("is one empty row over no facts without group-bys, and no row with them", async () => {
  const schema = await facts.write({ touchpoints: [], appEvents: [] });
  const query = { metrics: ["clicks", "app_revenue", "ctr", "app_installs_users"] };
  assert.equal((await run(schema, ask(query))).rows, [
    { groupBys: [], values: ["0", "0", null, "0"], masked: [false, false, false, false] },
  ]);
  assert.equal((await run(schema, ask({ ...query, groupBys: ["channel"] }))).rows, []);
});

actuals("keeps a media partner to its channels, and notifies", async () => {
  const schema = await facts.write({
    touchpoints: [click, { ...click, source: { ...spring, channel: "kakao" } }],
    appEvents: [install, { ...install, label: null }],
  });
  const question = { ...ask({ groupBys: ["channel"], metrics: ["clicks", "app_installs"] }), onlyChannels: ["kakao"] };
  const { rows, notifications } = await run(schema, question);
  assert.equal(rows, [{ groupBys: ["kakao"], values: ["1", "0"], masked: [false, false] }]);
  assert.equal(
    notifications.map(({ code }) => code),
    ["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL"],
  );
});

actuals("orders rows of equal ratios by their group-bys, whatever their amounts", async () => {
  const uploads = {
    spend: [
      { ...spend, campaign: "autumn", cents: 10_00, clicks: 9 },
      { ...spend, campaign: "spring", cents: 12_000_00, clicks: 10_800 },
    ],
  };
  const orders = [true, false].map((isAscending) => [{ fieldName: "cpc", isAscending }]);
  const results = await facts.answer(
    { uploads },
    ...orders.map((sorts) => ask({ groupBys: ["campaign"], metrics: ["cpc"], sorts })),
  );
  const value = `1.${"1".repeat(30)}`;
  const rows = [
    [["autumn"], [value]],
    [["spring"], [value]],
  ];
  assert.equal(results.map(cellsOf), [rows, rows]);
});

for (const [count, codes] of [
  [9_999, []],
  [10_000, []],
  [10_001, ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.rows"]],
] as const) {
  actuals(`holds the first 10,000 of ${count} rows by the sort`, async () => {
    const schema = await facts.write({
      touchpoints: Array.from({ length: count }, (_, index) => {
        return { ...click, source: { ...spring, campaign: `campaign ${String(index).padStart(5, "0")}` } };
      }),
      appEvents: [],
    });
    const sorts = [{ fieldName: "campaign", isAscending: false }];
    const { rows, notifications } = await run(schema, ask({ groupBys: ["campaign"], sorts }));
    assert.is(rows.length, Math.min(count, 10_000));
    assert.is(rows[0]?.groupBys[0], `campaign ${String(count - 1).padStart(5, "0")}`);
    assert.is(rows.at(-1)?.groupBys[0], `campaign ${count === 10_001 ? "00001" : "00000"}`);
    assert.equal(
      notifications.map(({ code }) => code),
      codes,
    );
  });
}

actuals("gives the same hash each time, and another for other rows", async () => {
  const schema = await facts.write({ touchpoints: [click] });
  const hashAt = async (position: number) => (await run(schema, { ...ask({}), position })).rowsHash;
  assert.is(await hashAt(9), await hashAt(9));
  assert.is.not(await hashAt(9), await hashAt(0));
});

actuals.run();
