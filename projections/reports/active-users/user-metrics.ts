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
  /** Whether it is not masked (contract/reports.md#masking), and why some events of a device are masked. */
  readonly left: string;
  readonly loss: string;
  /** Columns of one device, and of the interval over its devices; each has `loss`, `lost` and `is_any_left`. */
  readonly ofDevice: readonly string[];
  readonly ofInterval: readonly string[];
  /** The count columns of an interval. */
  readonly counts: readonly string[];
  /** Columns of an interval with events. */
  readonly shown: readonly string[];
  readonly happened: string;
}

const anyEvent: SimpleMetric = { kind: "devices", of: {} };
const purchase: SimpleMetric = { kind: "devices", of: { categories: revenueCategories.adds } };
const brought: SimpleMetric = {
  kind: "money",
  adds: { categories: revenueCategories.adds },
  subtracts: revenueCategories.subtracts,
};

/** The metric behind each count of an interval. */
export const activityMetrics: { readonly [counted in keyof Activity]: SimpleMetric } = {
  active: anyEvent,
  paying: purchase,
  revenue: brought,
};

export function userMetricSql(counted: UserKind, context: ActiveUsersContext): UserMetricSql {
  return counted === "active" ? activeUsersSql(context) : payingUsersSql(context);
}

function activeUsersSql(context: ActiveUsersContext): UserMetricSql {
  const { left, loss } = leftOf(context);
  return {
    metrics: [anyEvent],
    condition: "true",
    left,
    loss,
    ofDevice: [`bool_or(${left}) as is_any_left`, `${loss} as loss`],
    ofInterval: [
      "count(*) filter (where is_any_left) as active",
      "bool_or(is_any_left) as is_any_left",
      "bit_or(loss) as loss",
      "false as lost",
    ],
    counts: ["active"],
    shown: ["active"],
    happened: "active > 0",
  };
}

/** A purchase counts without a value; an event that only changes revenue must have one (contract/reports.md#rows). */
function payingUsersSql(context: ActiveUsersContext): UserMetricSql {
  const { left, loss } = leftOf(context);
  const counts = new Set(context.report.query.metrics.flatMap((metric) => countedFor[metric]));
  const isPurchase = metricSql(purchase, context).condition;
  const contributes = [
    ...(counts.has("paying") ? [isPurchase] : []),
    ...(counts.has("revenue") ? [`${amountColumns.appEvents} is not null`] : []),
  ];
  const { revenue, lost } = counts.has("revenue")
    ? revenueOfDevice(context, left)
    : { revenue: "null::numeric", lost: "false" };
  return {
    metrics: [...(counts.has("paying") ? [purchase] : []), ...(counts.has("revenue") ? [brought] : [])],
    condition: `(${contributes.join(" or ")})`,
    left,
    loss,
    ofDevice: [
      `bool_or(${isPurchase} and ${left}) as is_paying`,
      `${revenue} as revenue`,
      `bool_or(${left}) as is_any_left`,
      `${lost} as lost`,
      `${loss} as loss`,
    ],
    ofInterval: [
      "count(*) filter (where is_paying) as paying",
      "sum(revenue) as revenue",
      "bool_or(is_any_left) as is_any_left",
      "bool_or(lost) as lost",
      "bit_or(loss) as loss",
    ],
    counts: ["paying", "revenue"],
    shown: ["paying", "trim_scale(coalesce(revenue, 0))"],
    happened: "paying > 0 or revenue <> 0",
  };
}

function revenueOfDevice(context: ActiveUsersContext, left: string) {
  const counting = metricSql(brought, context);
  const sign = counting.each === "amount" ? counting.sign : "";
  const { converted, isLost } = amountOf("appEvents", context);
  return {
    revenue: `sum(${sign}${converted}) filter (where ${left})`,
    lost: `bool_or(${isLost} and ${left})`,
  };
}

/** SQL of whether a fact is not masked (contract/reports.md#masking), and why facts of a cell are masked. */
function leftOf(context: QueryContext): { readonly left: string; readonly loss: string } {
  return hasMaskedFacts("appEvents", context)
    ? { left: isUnmasked, loss: maskingReasonsWhere("true") }
    : { left: "true", loss: "null::integer" };
}
