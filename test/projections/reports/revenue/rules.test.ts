import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RevenueResult } from "../../../../projections/reports/revenue/run.ts";
import { ratesOf, spend, spring } from "../actuals/advertising.ts";
import { listedMonths, twitter } from "../masking/networks.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, paid, revenueReport, totalsOf, valuesOf } from "./examples.ts";

const facts = await openRevenueFacts();
const noon = (day: number): string => `2026-03-0${day}T12:00:00+09:00`;
const installed = happened(noon(1), { device: 1 });
const campaign = (name: string) => ({ label: { source: { ...spring, campaign: name }, kind: "click" as const } });
const tweeted = { label: { source: twitter, kind: "click" as const } };
const groupsOf = (result: RevenueResult) =>
  result.rows.map(({ groupBys, total }) => [groupBys, totalsOf(total), valuesOf(total)]);
const codesOf = ({ notifications }: RevenueResult) => notifications.map(({ code }) => code);

const cohorts = suite("cohorts of revenue");

cohorts("hold a device once in each group, from its first start there", async () => {
  const appEvents = [
    happened(noon(1), { device: 1, ...campaign("spring") }),
    happened(noon(2), { device: 1, ...campaign("spring") }),
    happened(noon(2), { device: 1, ...campaign("autumn") }),
    paid(noon(3), 1, 700),
  ];
  const query = { groupBys: ["campaign"], to: "2026-03-02", includesTotal: true };
  const result = await facts.answerOne({ appEvents }, revenueReport(query));
  assert.equal(groupsOf(result), [
    [["autumn"], ["1", "7", null], ["0", "7", null]],
    [["spring"], ["1", "7", null], ["0", "0", "7"]],
  ]);
  assert.equal(result.total && [totalsOf(result.total), valuesOf(result.total)], [
    ["1", "7", null],
    ["0", "0", "7"],
  ]);
});

cohorts("leave a date out of numerator and denominator where its interval has not begun", async () => {
  const appEvents = [
    installed,
    paid(noon(1), 1, 100),
    paid(noon(3), 1, 300),
    happened(noon(3), { device: 2 }),
    paid(noon(3), 2, 5_000),
  ];
  const query = { to: "2026-03-03", metric: "app_arpu" } as const;
  const [group] = (await facts.answerOne({ appEvents }, revenueReport(query))).rows;
  assert.equal(group && [totalsOf(group.total), valuesOf(group.total)], [
    ["2", "54", null],
    ["25.5", "1", "4"],
  ]);
  assert.equal(
    group?.rows.map((row) => [row.date, valuesOf(row)]),
    [
      ["2026-03-01", ["1", "1", "4"]],
      ["2026-03-03", ["50", null, null]],
    ],
  );
});

cohorts(
  "count an event that two return events name once, and first orders alone when only they are named",
  async () => {
    const appEvents = [installed, paid(noon(1), 1, 100), paid(noon(1), 1, 40, { isFirstOfDevice: false })];
    const schema = await facts.write({ appEvents });
    const earned = async (...returnEvents: ("app_order_complete" | "app_first_order_complete")[]) =>
      (await facts.run(schema, revenueReport({ returnEvents })))?.rows.map(({ total }) => total.totalRevenue.value);
    assert.equal(await earned("app_order_complete", "app_first_order_complete"), ["1.4"]);
    assert.equal(await earned("app_first_order_complete"), ["1"]);
  },
);

cohorts("do not count what came before the start, nor after now", async () => {
  const appEvents = [
    paid("2026-03-01T11:59:59+09:00", 1, 100),
    installed,
    paid("2026-03-03T12:00:00.001+09:00", 1, 200),
  ];
  assert.equal(groupsOf(await facts.answerOne({ appEvents }, revenueReport())), [
    [[], ["1", "0", null], ["0", "0", "0"]],
  ]);
});

cohorts("tell ARPPU by payers: devices with an amount above 0", async () => {
  const appEvents = [
    installed,
    happened(noon(1), { device: 2 }),
    paid(noon(1), 1, 600),
    paid(noon(1), 2, 0),
    paid(noon(1), 2, null),
  ];
  const query = { metric: "app_arppu", aggregationType: "on-day" } as const;
  assert.equal(groupsOf(await facts.answerOne({ appEvents }, revenueReport(query))), [
    [[], ["2", "6", null], ["6", null, null]],
  ]);
});

cohorts("stay as they were at their position", async () => {
  const appEvents = [
    { ...installed, to: 6 },
    { ...installed, from: 6, label: null },
    paid(noon(1), 1, 100, { from: 7 }),
  ];
  const schema = await facts.write({ appEvents });
  const at = async (position: bigint) => {
    const result = await facts.run(schema, revenueReport({ groupBys: ["channel"] }, { position }));
    return result && groupsOf(result);
  };
  assert.equal(await at(5n), [[["partner"], ["1", "0", null], ["0", "0", "0"]]]);
  assert.equal(await at(6n), [[["unattributed"], ["1", "0", null], ["0", "0", "0"]]]);
  assert.equal(await at(7n), [[["unattributed"], ["1", "1", null], ["1", "1", "1"]]]);
});

const costs = suite("cost of revenue");

const costOf = async (groupBys: readonly string[], more: object = {}, rows = [{ ...spend, cents: 600 }]) => {
  const { rows: groups } = await facts.answerOne(
    { appEvents: [installed, paid(noon(1), 1, 1_200)], uploads: { spend: rows } },
    revenueReport({ groupBys, metric: "app_roas", ...more }),
  );
  return groups.map(({ groupBys: values, total }) => [...values, total.totalCost.value, total.values[0]]);
};

costs("joins on the group-bys that spend has", async () => {
  assert.equal(await costOf([]), [["6", "200"]]);
  assert.equal(await costOf(["channel", "campaign"]), [["partner", "spring", "6", "200"]]);
});

costs("is null where a group is deeper than the spend, which makes no group of its own", async () => {
  assert.equal(await costOf(["channel", "os_name"]), [["partner", "Android", null, null]]);
  assert.equal(await costOf(["channel", "ad_group"]), [["partner", null, null, null]]);
});

costs("is null where spend lacks a group-by or the field of a filter", async () => {
  const linked = { field: "tracking_link_id", dimension: "tracking_link_id", filterType: "IN", values: ["7"] };
  assert.equal(await costOf(["tracking_link_id"]), [["7", null, null]]);
  assert.equal(await costOf([], { filters: [linked] }), [[null, null]]);
});

costs("passes the filters that spend knows", async () => {
  const by = (values: readonly string[]) => ({ filters: [{ dimension: "channel", filterType: "IN", values }] });
  assert.equal(await costOf([], by(["partner"])), [["6", "200"]]);
  assert.equal(await costOf([], by(["kakao"])), []);
});

costs("is null without spend, deleted spend included; 0 divides nothing", async () => {
  const deleted = { ...spend, impressions: 0, clicks: 0, cents: 0 };
  assert.equal(await costOf([], {}, []), [[null, null]]);
  assert.equal(await costOf([], {}, [deleted]), [[null, null]]);
  assert.equal(await costOf([], {}, [{ ...deleted, clicks: 1 }]), [["0", null]]);
});

costs("counts dates without a start, by date where blocks are hours", async () => {
  const rows = [spend, { ...spend, date: "2026-03-02" }].map((row) => ({ ...row, cents: 600 }));
  assert.equal(await costOf([], { to: "2026-03-02" }, rows), [["12", "100"]]);
  const { rows: groups } = await facts.answerOne(
    { appEvents: [installed, paid(noon(1), 1, 1_200)], uploads: { spend: rows } },
    revenueReport({ granularity: "hour", metric: "app_roas", to: "2026-03-02" }, { now: new Date(noon(2)) }),
  );
  assert.equal(
    groups.map(({ total }) => [totalsOf(total), total.values[0], total.values[24]]),
    [[["1", "12", "12"], "100", "200"]],
  );
  assert.equal(
    groups[0]?.rows.map((row) => [row.date, ...totalsOf(row), row.values[0]]),
    [["2026-03-01T12:00:00.000+09:00", "1", "12", null, null]],
  );
});

const masks = suite("masking of revenue");

masks("marks the group of a start that was withheld; a block of which nothing is left has no row", async () => {
  const appEvents = [
    happened(noon(1), { device: 1, ...tweeted }),
    paid(noon(2), 1, 500),
    happened(noon(2), { device: 2 }),
  ];
  const result = await facts.answerOne({ appEvents }, revenueReport({ to: "2026-03-02" }));
  assert.equal(
    result.rows.map(({ rows }) => rows.map((row) => [row.date, totalsOf(row), valuesOf(row)])),
    [[["2026-03-02", ["1", "0", null], ["0", "0", null]]]],
  );
  assert.equal(groupsOf(result), [[[], ["1+", "null+", null], ["null+", "null+", "null+"]]]);
  assert.equal(codesOf(result), ["AGG_DATA_MASKING_BY_PARTNER"]);
  assert.equal(listedMonths(result), ["twitter 2026-03"]);
});

masks("is one group by its channel and month, however many are withheld whole", async () => {
  const appEvents = [1, 2, 3].map((device) => {
    const source = { ...tweeted.label.source, campaign: `c${device}` };
    return happened(noon(1), { device, label: { source, kind: "click" } });
  });
  const groupBys = ["campaign", "channel", "event_month", "event_hour"];
  assert.equal(groupsOf(await facts.answerOne({ appEvents }, revenueReport({ groupBys }))), [
    [
      [null, "twitter", "2026-03", null],
      ["null+", "null+", null],
      ["null+", "null+", "null+"],
    ],
  ]);
});

masks("shows a group of which everything was withheld, without a number", async () => {
  const appEvents = [happened(noon(1), { device: 1, ...tweeted }), { ...installed, device: 2 }, paid(noon(1), 2, 100)];
  assert.equal(groupsOf(await facts.answerOne({ appEvents }, revenueReport({ groupBys: ["channel"] }))), [
    [["partner"], ["1", "1", null], ["1", "1", "1"]],
    [["twitter"], ["null+", "null+", null], ["null+", "null+", "null+"]],
  ]);
});

masks("marks the interval of a return that was withheld, and those that accumulate it", async () => {
  const appEvents = [installed, paid(noon(1), 1, 100), paid(noon(2), 1, 700, tweeted)];
  const schema = await facts.write({ appEvents });
  const shown = async (query: object) => {
    const result = await facts.run(schema, revenueReport(query));
    return result && groupsOf(result)[0];
  };
  assert.equal(await shown({}), [[], ["1", "1+", null], ["1", "1+", "1+"]]);
  assert.equal(await shown({ aggregationType: "on-day" }), [[], ["1", "1+", null], ["1", "null+", "0"]]);
  assert.equal(await shown({ metric: "app_user_count" }), [[], ["1", "1+", null], ["1", "1+", "1+"]]);
});

masks("notifies when what was left out is too old", async () => {
  const appEvents = [happened(noon(1), { device: 1, ...tweeted })];
  const now = new Date("2026-08-24T12:00:00+09:00");
  assert.equal(codesOf(await facts.answerOne({ appEvents }, revenueReport({}, { now }))), ["SAN_PERIOD_LIMIT"]);
});

masks("leaves out amounts without an exchange rate, of returns and of spend, and names them", async () => {
  const advertised = {
    appEvents: [
      installed,
      paid(noon(1), 1, 100),
      paid(noon(2), 1, 700, { currency: "EUR" }),
      paid(noon(2), 1, 100, { currency: "USD" }),
    ],
    uploads: { spend: [{ ...spend, currency: "JPY" }], rates: ratesOf("2026-02-28", "USD", { KRW: "1000" }) },
  };
  const result = await facts.answerOne(advertised, revenueReport());
  assert.equal(groupsOf(result), [[[], ["1", "1001+", "null+"], ["1", "1001+", "1001+"]]]);
  assert.equal(
    result.notifications.map(({ code, params }) => [code, params]),
    [["EXCHANGE_RATE_MISSING", { rates: "EUR (2026-03-02); JPY (2026-03-01)" }]],
  );
});

masks.after(() => facts.close());

cohorts.run();
costs.run();
masks.run();
