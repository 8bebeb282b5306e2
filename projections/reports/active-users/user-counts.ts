import { type Activity, countedFor } from "../../../domain/reporting/active-users/metrics.ts";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { revenueCategories } from "../../../domain/reporting/catalogue/report-constants.ts";
import { metricSql } from "../facts/metric-sql.ts";
import { hasMaskedFacts, isUnmasked, maskingReasonsWhere } from "../masking/fact-view.ts";
import { amountColumns, amountOf } from "../money/amounts.ts";
import type { QueryContext, ReportAt } from "../query/query-context.ts";

/** What one statement counts: devices with any app event, or those with a purchase and their revenue. */
export type UserKind = "active" | "paying";

/** The query context of an active users report. */
export type ActiveUsersContext = QueryContext & { readonly report: ReportAt<"active_users"> };

/** SQL that counts the users of one interval of one group. */
interface UserMetricSql {
  /** The app events that it reads, and whether a fact is one of them. */
  readonly metrics: readonly SimpleMetric[];
  readonly condition: string;
  /** Whether it is unmasked (contract/reports.md#masking), and why some events of a device are masked, as bits. */
  readonly unmasked: string;
  readonly maskingReasons: string;
  /**
   * Columns of one device, and of the interval over its devices; each has `is_any_unmasked` and `masking_reasons`, and
   * the interval `is_any_unconverted`.
   */
  readonly ofDevice: readonly string[];
  readonly ofInterval: readonly string[];
  /** The count columns of an interval. */
  readonly counts: readonly string[];
  /** Columns of an interval with events. */
  readonly shown: readonly string[];
  /** Whether an interval has any value. */
  readonly hasActivity: string;
}

const anyEvent: SimpleMetric = { kind: "devices", of: {} };
const purchase: SimpleMetric = { kind: "devices", of: { categories: revenueCategories.adds } };
const netRevenue: SimpleMetric = {
  kind: "money",
  adds: { categories: revenueCategories.adds },
  subtracts: revenueCategories.subtracts,
};

/** The metric behind each count of an interval. */
export const activityMetrics: { readonly [counted in keyof Activity]: SimpleMetric } = {
  active: anyEvent,
  paying: purchase,
  revenue: netRevenue,
};

export function userMetricSql(counted: UserKind, context: ActiveUsersContext): UserMetricSql {
  return counted === "active" ? activeUsersSql(context) : payingUsersSql(context);
}

function activeUsersSql(context: ActiveUsersContext): UserMetricSql {
  const { unmasked, maskingReasons } = maskingSql(context);
  return {
    metrics: [anyEvent],
    condition: "true",
    unmasked,
    maskingReasons,
    ofDevice: [`bool_or(${unmasked}) as is_any_unmasked`, `${maskingReasons} as masking_reasons`],
    ofInterval: [
      "count(*) filter (where is_any_unmasked) as active",
      "bool_or(is_any_unmasked) as is_any_unmasked",
      "bit_or(masking_reasons) as masking_reasons",
      "false as is_any_unconverted",
    ],
    counts: ["active"],
    shown: ["active"],
    hasActivity: "active > 0",
  };
}

/** A purchase counts without a value; an event that only changes revenue must have one (contract/reports.md#rows). */
function payingUsersSql(context: ActiveUsersContext): UserMetricSql {
  const { unmasked, maskingReasons } = maskingSql(context);
  const counts = new Set(context.report.query.metrics.flatMap((metric) => countedFor[metric]));
  const isPurchase = metricSql(purchase, context).condition;
  const contributes = [
    ...(counts.has("paying") ? [isPurchase] : []),
    ...(counts.has("revenue") ? [`${amountColumns.appEvents} is not null`] : []),
  ];
  const { revenue, isAnyUnconverted } = counts.has("revenue")
    ? revenueOfDevice(context, unmasked)
    : { revenue: "null::numeric", isAnyUnconverted: "false" };
  return {
    metrics: [...(counts.has("paying") ? [purchase] : []), ...(counts.has("revenue") ? [netRevenue] : [])],
    condition: `(${contributes.join(" or ")})`,
    unmasked,
    maskingReasons,
    ofDevice: [
      `bool_or(${isPurchase} and ${unmasked}) as is_paying`,
      `${revenue} as revenue`,
      `bool_or(${unmasked}) as is_any_unmasked`,
      `${isAnyUnconverted} as is_any_unconverted`,
      `${maskingReasons} as masking_reasons`,
    ],
    ofInterval: [
      "count(*) filter (where is_paying) as paying",
      "sum(revenue) as revenue",
      "bool_or(is_any_unmasked) as is_any_unmasked",
      "bool_or(is_any_unconverted) as is_any_unconverted",
      "bit_or(masking_reasons) as masking_reasons",
    ],
    counts: ["paying", "revenue"],
    shown: ["paying", "trim_scale(coalesce(revenue, 0))"],
    hasActivity: "paying > 0 or revenue <> 0",
  };
}

function revenueOfDevice(context: ActiveUsersContext, unmasked: string) {
  const counting = metricSql(netRevenue, context);
  const sign = counting.each === "amount" ? counting.sign : "";
  const { converted, isUnconverted } = amountOf("appEvents", context);
  return {
    revenue: `sum(${sign}${converted}) filter (where ${unmasked})`,
    isAnyUnconverted: `bool_or(${isUnconverted} and ${unmasked})`,
  };
}

/** SQL of whether a fact is unmasked (contract/reports.md#masking), and why facts of a cell are masked, as bits. */
function maskingSql(context: QueryContext): { readonly unmasked: string; readonly maskingReasons: string } {
  return hasMaskedFacts("appEvents", context)
    ? { unmasked: isUnmasked, maskingReasons: maskingReasonsWhere("true") }
    : { unmasked: "true", maskingReasons: "null::integer" };
}
