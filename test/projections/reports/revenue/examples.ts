import type { RevenueQuery } from "../../../../domain/reporting/revenue/query.ts";
import type { RevenueTotals } from "../../../../domain/reporting/revenue/row.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { runRevenue } from "../../../../projections/reports/revenue/run.ts";
import type { AppEvent } from "../facts.ts";
import { openReportFacts, reportScope } from "../report-facts.ts";
import { happened } from "../retention/examples.ts";

export const paid = (at: string, device: number, cents: number | null, more: Partial<AppEvent> = {}): AppEvent =>
  happened(at, { category: "app_order_complete", device, cents, ...more });

/** Cumulative revenue of March 1, by its date, as of noon of March 3, at position 9, in won. */
export function revenueReport(
  query: Partial<RevenueQuery> = {},
  more: Partial<Omit<ReportAt<"revenue">, "query">> = {},
): ReportAt<"revenue"> {
  return {
    ...reportScope,
    now: new Date("2026-03-03T12:00:00+09:00"),
    ...more,
    query: {
      from: "2026-03-01",
      to: "2026-03-01",
      groupBys: [],
      filters: [],
      granularity: "day",
      startEvents: ["app_install"],
      returnEvents: ["app_order_complete"],
      metric: "app_revenue",
      aggregationType: "cumulative",
      sorts: [],
      includesTotal: false,
      ...query,
    },
  };
}

export const openRevenueFacts = () => openReportFacts(runRevenue);

/** The values of a line, incomplete ones with a plus sign. */
export function valuesOf({ values, masked }: Pick<RevenueTotals, "values" | "masked">): readonly (string | null)[] {
  return values.map((value, interval) => (masked.includes(interval) ? `${value}+` : value));
}

/** Users, revenue and cost of a line, incomplete ones with a plus sign. */
export function totalsOf({ totalUniqueUsers, totalRevenue, totalCost }: RevenueTotals): readonly (string | null)[] {
  return [totalUniqueUsers, totalRevenue, totalCost].map(({ value, isMasked }) => (isMasked ? `${value}+` : value));
}
