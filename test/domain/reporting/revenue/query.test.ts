import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type RequestedRevenue, validateRevenueQuery } from "../../../../domain/reporting/revenue/query.ts";
import { inShort } from "../../../support/short-faults.ts";

const today = "2026-06-30";
const requested: RequestedRevenue = {
  from: "2026-06-01",
  to: today,
  groupBy: { fields: ["channel", "event_date"] },
  granularity: "day",
  startEvents: ["app_install", "app_deeplink_open"],
  returnEvents: ["app_order_complete", "app_subscribe"],
  metric: "app_revenue",
  aggregationType: "cumulative",
  filters: [{ field: "os_name", filterType: "NOT IN", values: ["Web"] }],
  sorts: [
    { fieldName: "totalRevenue", isAscending: false },
    { fieldName: "totalCost", isAscending: false },
    { fieldName: "totalUniqueUsers", isAscending: true },
    { fieldName: "channel", isAscending: true },
  ],
  resultSpec: { csv: { includesTotal: true } },
};

const faultsOf = (change: Partial<RequestedRevenue>) => {
  const checked = validateRevenueQuery({ ...requested, ...change }, today);
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};
const stored = (change: Partial<RequestedRevenue>) => {
  const checked = validateRevenueQuery({ ...requested, ...change }, today);
  return checked.outcome === "valid" ? checked.query : null;
};

const query = suite("a revenue query");

query("is stored with its group-bys as a list and one name for the selector", () => {
  assert.equal(stored({}), {
    from: "2026-06-01",
    to: today,
    groupBys: ["channel", "event_date"],
    filters: [{ dimension: "os_name", filterType: "NOT IN", values: ["Web"] }],
    granularity: "day",
    startEvents: ["app_install", "app_deeplink_open"],
    returnEvents: ["app_order_complete", "app_subscribe"],
    metric: "app_revenue",
    aggregationType: "cumulative",
    sorts: requested.sorts,
    includesTotal: true,
  });
});

query("drops repeated events", () => {
  const { startEvents, returnEvents } =
    stored({ startEvents: ["app_install", "app_install"], returnEvents: ["app_ad_click", "app_ad_click"] }) ?? {};
  assert.equal([startEvents, returnEvents], [["app_install"], ["app_ad_click"]]);
});

query("includes a total only on request", () => {
  const specs = [{ csv: { includesTotal: false } }, { csv: {} }, {}, undefined] as const;
  for (const resultSpec of specs) {
    const { resultSpec: _, ...rest } = requested;
    const checked = validateRevenueQuery(resultSpec === undefined ? rest : { ...rest, resultSpec }, today);
    assert.is(checked.outcome === "valid" && checked.query.includesTotal, false);
  }
});

query("begins 364 and 365 days ago, not 366", () => {
  assert.equal(faultsOf({ from: "2025-07-01", to: "2025-07-01" }), []);
  assert.equal(faultsOf({ from: "2025-06-30", to: "2025-07-01" }), []);
  assert.equal(faultsOf({ from: "2025-06-29", to: "2025-07-01" }), [["from", "out_of_range"]]);
});

for (const granularity of ["hour", "minute"] as const) {
  query(`by ${granularity} starts with installs only`, () => {
    assert.equal(faultsOf({ granularity, startEvents: ["app_install"] }), []);
    assert.equal(faultsOf({ granularity, startEvents: ["app_deeplink_open"] }), [["granularity", "not_allowed"]]);
    assert.equal(faultsOf({ granularity }), [["granularity", "not_allowed"]]);
  });
}

query("allows ROAS and ARPU only cumulative", () => {
  const onDay = (metric: RequestedRevenue["metric"]) => faultsOf({ metric, aggregationType: "on-day" });
  for (const metric of ["app_roas", "app_arpu"] as const) {
    assert.equal(onDay(metric), [["aggregationType", "not_allowed"]], metric);
    assert.equal(faultsOf({ metric }), [], metric);
  }
  for (const metric of ["app_revenue", "app_user_count", "app_event_count", "app_arppu"] as const) {
    assert.equal(onDay(metric), [], metric);
  }
});

query("names every fault by its place", () => {
  assert.equal(
    faultsOf({
      from: "2025-06-29",
      groupBy: { fields: ["channel", "shoe_size"] },
      granularity: "minute",
      metric: "app_roas",
      aggregationType: "on-day",
      filters: [{ dimension: "shoe_size", filterType: "IN", values: ["9"] }],
      sorts: [
        { fieldName: "totalRevenue", isAscending: true },
        { fieldName: "app_revenue", isAscending: true },
        { fieldName: "app_roas", isAscending: true },
        { fieldName: "os_name", isAscending: true },
      ],
    }),
    [
      ["to", "out_of_range"],
      ["from", "out_of_range"],
      ["groupBy", "fields", 1, "not_allowed"],
      ["filters", 0, "dimension", "not_allowed"],
      ["granularity", "not_allowed"],
      ["aggregationType", "not_allowed"],
      ["sorts", 1, "fieldName", "not_allowed"],
      ["sorts", 3, "fieldName", "not_allowed"],
    ],
  );
});

query.run();
