import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportKind } from "../../../domain/report-tasks/events.ts";
import { addDays, startOfDay, zonedTimestamp } from "../../../domain/values/local-time.ts";
import { reportModules } from "../../../infra/composition/report-modules.ts";
import type { SucceededReportTask } from "../../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import type { CellAddress } from "../../../read-api/report-tasks/cell-address.ts";
import { shop } from "../../examples/app.ts";
import { servedShop } from "../../support/application.ts";

const [first, second, third] = ["2026-03-01", "2026-03-02", "2026-03-03"] as const;
const now = new Date(startOfDay(shop.timezone, third));
const midnight = (date: string) => zonedTimestamp(shop.timezone, startOfDay(shop.timezone, date));
const range = { from: first, to: second, granularity: "day", groupBys: ["channel"], filters: [], sorts: [] };
const plain = (value: string | null) => ({ value, isMasked: false });
const totals = { totalUniqueUsers: plain("2"), totalRevenue: { value: "30", isMasked: true }, totalCost: plain(null) };

/** A query of each kind, and what is stored of its one row. */
const reports: { readonly [kind in ReportKind]: { readonly query: object; readonly stored: object } } = {
  actuals: {
    query: { ...range, metrics: ["clicks", "roas"] },
    stored: { values: ["3", null], masked: [false, true] },
  },
  active_users: {
    query: { ...range, metrics: ["app_au", "app_arpu"] },
    stored: { intervals: [0], values: [["2", "5.005"]] },
  },
  retention: {
    query: range,
    stored: {
      rows: [{ date: first, startUsers: 2, values: [2, null] }],
      total: { startUsers: 2, values: [2, null, 1], of: [2, 2, 2] },
    },
  },
  revenue: {
    query: { ...range, metric: "app_roas", aggregationType: "cumulative" },
    stored: {
      rows: [{ date: first, ...totals, values: ["100", "150"], masked: [1] }],
      total: { ...totals, values: ["100", null, "250"], masked: [2] },
    },
  },
};

/** The cell at an address of the one row, `partner`; or the location of the fault. */
async function found(kind: ReportKind, address: Partial<CellAddress>) {
  const { query, stored } = reports[kind];
  const task = { taskId: "task", report: kind, query, now } as unknown as SucceededReportTask;
  const row = { groupBys: ["partner"], cells: JSON.stringify(stored) };
  const results: Pick<StoredResults, "row"> = { row: async (_, [channel]) => (channel === "partner" ? row : null) };
  const requested = { row: ["partner"], metric: "", ...address };
  const cell = await reportModules[kind].response.findCell(task, requested, results as StoredResults, servedShop);
  if (cell.outcome === "found") return cell;
  return [...cell.fault.path, ...[cell.fault.params?.values ?? []].flat()];
}

const cells = suite("the cell that an address names");

const sinceFirst = { groupBys: ["partner"], block: null };
const ofFirst = { groupBys: ["partner"], block: 0 };
const roas = (interval: number) => ({ counts: { metric: "app_roas", interval } });
for (const [kind, address, cell, value, isMasked, times] of [
  ["actuals", { metric: "clicks" }, { groupBys: ["partner"], metric: "clicks" }, "3", false, null],
  ["actuals", { metric: "roas" }, { groupBys: ["partner"], metric: "roas" }, null, true, 100],
  ...([midnight(first), `${midnight(first)}/${midnight(second)}`] as const).map((date) => {
    const cell = { groupBys: ["partner"], metric: "app_arpu", interval: 0 };
    return ["active_users", { metric: "app_arpu", date }, cell, "5.005", null, 1] as const;
  }),
  [
    ...(["active_users", { metric: "app_au", date: midnight(second) }] as const),
    ...([{ groupBys: ["partner"], metric: "app_au", interval: 1 }, "0", null, null] as const),
  ],
  ["retention", { metric: "startUsers" }, { ...sinceFirst, interval: null }, "2", false, null],
  ["retention", { metric: "startUsers", date: first }, { ...ofFirst, interval: null }, "2", false, null],
  ["retention", { metric: "value", interval: 2 }, { ...sinceFirst, interval: 2 }, "1", false, null],
  ["retention", { metric: "value", interval: 1 }, { ...sinceFirst, interval: 1 }, null, true, null],
  ["retention", { metric: "value", interval: 0, date: first }, { ...ofFirst, interval: 0 }, "2", false, null],
  ["retention", { metric: "value", interval: 2, date: first }, { ...ofFirst, interval: 2 }, null, false, null],
  ["revenue", { metric: "totalRevenue" }, { ...sinceFirst, counts: { total: "totalRevenue" } }, "30", true, null],
  ["revenue", { metric: "totalCost", date: first }, { ...ofFirst, counts: { total: "totalCost" } }, null, false, null],
  ["revenue", { metric: "app_roas", interval: 2 }, { ...sinceFirst, ...roas(2) }, "250", true, 100],
  ["revenue", { metric: "app_roas", interval: 1 }, { ...sinceFirst, ...roas(1) }, null, false, 100],
  ["revenue", { metric: "app_roas", interval: 0, date: first }, { ...ofFirst, ...roas(0) }, "100", false, 100],
] as const) {
  cells(`of ${kind} by ${JSON.stringify(address)} is ${value}`, async () => {
    assert.equal(await found(kind, address), { outcome: "found", cell, value, isMasked, times });
  });
}

const activeUsers = { metric: "app_au", date: midnight(first) };
const returns = { metric: "value", interval: 1 };
const revenue = { metric: "app_roas", interval: 1 };
const revenueMetrics = ["totalRevenue", "totalUniqueUsers", "totalCost", "app_roas"] as const;
for (const [kind, what, address, field, ...known] of [
  ["actuals", "with a row that the report lacks", { metric: "clicks", row: ["kakao"] }, "row"],
  ["actuals", "with a metric that was not requested", { metric: "app_installs" }, "metric", "clicks", "roas"],
  ["actuals", "with a metric that does not exist", { metric: "nothing" }, "metric", "clicks", "roas"],
  ["actuals", "with a date", { metric: "clicks", date: first }, "date"],
  ["actuals", "with an interval", { metric: "clicks", interval: 0 }, "interval"],
  ["active_users", "without a date", { metric: "app_au" }, "date"],
  ["active_users", "before the first interval", { ...activeUsers, date: midnight(addDays(first, -1)) }, "date"],
  ["active_users", "after the last interval", { ...activeUsers, date: midnight(third) }, "date"],
  ["active_users", "within an interval", { ...activeUsers, date: `${first}T01:00:00.000+09:00` }, "date"],
  ["active_users", "with another end", { ...activeUsers, date: `${midnight(first)}/${midnight(third)}` }, "date"],
  ["active_users", "without an end", { ...activeUsers, date: `${midnight(first)}/` }, "date"],
  ["active_users", "in another zone", { ...activeUsers, date: new Date(midnight(first)).toISOString() }, "date"],
  ["active_users", "with a word for a date", { ...activeUsers, date: "yesterday" }, "date"],
  ["active_users", "with the number of an interval", { ...activeUsers, interval: 0 }, "interval"],
  ["active_users", "with a row that the report lacks", { ...activeUsers, row: ["kakao"] }, "row"],
  [
    "active_users",
    "with a metric that was not requested",
    { ...activeUsers, metric: "app_pu" },
    "metric",
    "app_au",
    "app_arpu",
  ],
  [
    "active_users",
    "with a metric of other reports",
    { ...activeUsers, metric: "clicks" },
    "metric",
    "app_au",
    "app_arpu",
  ],
  ["retention", "of returns without an interval", { metric: "value" }, "interval"],
  ["retention", "after the last interval", { ...returns, interval: 3 }, "interval"],
  ["retention", "of starts with an interval", { ...returns, metric: "startUsers" }, "interval"],
  ["retention", "with a date without starts", { ...returns, date: second }, "date"],
  ["retention", "with a row that the report lacks", { ...returns, row: ["kakao"] }, "row"],
  [
    "retention",
    "with a metric of other reports",
    { ...returns, metric: "returnUsers" },
    "metric",
    "startUsers",
    "value",
  ],
  ["revenue", "of a metric without an interval", { metric: "app_roas" }, "interval"],
  ["revenue", "after the last interval", { ...revenue, interval: 3 }, "interval"],
  ["revenue", "of a total with an interval", { ...revenue, metric: "totalCost" }, "interval"],
  ["revenue", "with a date without starts", { ...revenue, date: second }, "date"],
  ["revenue", "with a word for a date", { ...revenue, date: "yesterday" }, "date"],
  ["revenue", "with a row that the report lacks", { ...revenue, row: ["kakao"] }, "row"],
  [
    "revenue",
    "with a metric that was not requested",
    { ...revenue, metric: "app_revenue" },
    "metric",
    ...revenueMetrics,
  ],
] as const) {
  cells(`of ${kind} is unknown ${what}`, async () => {
    assert.equal(await found(kind, address), ["body", field, ...known]);
  });
}

cells.run();
