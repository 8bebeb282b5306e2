// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { Message } from "../fault.ts";

export interface ReportFilter {
  readonly dimension: string;
  readonly filterType: "IN" | "NOT IN" | "LIKE" | "NOT LIKE" | "EXIST" | "NOT EXIST";
  readonly values: readonly string[];
}

export interface ReportSort {
  readonly fieldName: string;
  readonly isAscending: boolean;
}

/** An event by its place in its stream, which is the same in every store of the log. */
export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
}

/** What every report is asked. Dates are local dates of the app's time zone, inclusive. */
interface RangeQuery {
  readonly from: string;
  readonly to: string;
  readonly groupBys: readonly string[];
  readonly filters: readonly ReportFilter[];
  /** The last event that the report knows, with all before it (contract/reports.md#tasks); absent: its own request. */
  readonly asOf?: EventPlace;
}

/** What an actuals report was asked (contract/reports.md#actuals). */
export interface ActualsQuery extends RangeQuery {
  readonly metrics: readonly string[];
  readonly sorts: readonly ReportSort[];
}

/** What an active users report was asked (contract/reports.md#active-users). */
export interface ActiveUsersQuery extends RangeQuery {
  readonly granularity: "day" | "week" | "month" | "hour" | "minute";
  readonly metrics: readonly ("app_au" | "app_pu" | "app_arpu" | "app_arppu" | "app_revenue")[];
}

/** What a revenue report was asked (contract/reports.md#revenue). */
export interface RevenueQuery extends RangeQuery {
  readonly granularity: "day" | "week" | "month" | "hour" | "minute";
  /** Each once. */
  readonly startEvents: readonly ("app_install" | "app_deeplink_open")[];
  /** Each once. */
  readonly returnEvents: readonly (
    | "app_order_complete"
    | "app_first_order_complete"
    | "app_ad_impression"
    | "app_ad_click"
    | "app_subscribe"
  )[];
  readonly metric: "app_revenue" | "app_user_count" | "app_event_count" | "app_roas" | "app_arpu" | "app_arppu";
  readonly aggregationType: "cumulative" | "on-day";
  readonly sorts: readonly ReportSort[];
  /** Whether its CSV ends with a row over everything. */
  readonly includesTotal: boolean;
}

/** What a retention report was asked (contract/reports.md#retention). */
export interface RetentionQuery extends RangeQuery {
  readonly granularity: "day" | "week" | "month" | "hour" | "minute";
  /** Each once. */
  readonly startEvents: readonly ("app_installs" | "app_deeplink_opens" | "app_deeplink_pageviews")[];
  /** Each once. */
  readonly returnEvents: readonly (
    | "app_order_complete"
    | "app_first_order_complete"
    | "app_ad_impression"
    | "app_ad_click"
    | "app_subscribe"
  )[];
  readonly measurementOption: "general_retention" | "confined_retention";
  readonly sorts: readonly ReportSort[];
  /** What a GET that does not say otherwise asks for. */
  readonly keyword?: string;
  readonly pagination?: { readonly skip?: number; readonly size?: number };
}

/** What each report is asked, by its name. */
export interface ReportQueries {
  readonly actuals: ActualsQuery;
  readonly retention: RetentionQuery;
  readonly active_users: ActiveUsersQuery;
  readonly revenue: RevenueQuery;
}

export type ReportKind = keyof ReportQueries;

/** A report and what it was asked. */
export type AskedReport = {
  readonly [Kind in ReportKind]: { readonly report: Kind; readonly query: ReportQueries[Kind] };
}[ReportKind];

export type ReportRequested = DomainEvent<
  "ReportRequested",
  AskedReport & {
    readonly taskId: string;
    readonly appId: number;
    /** Channels that a media partner's token may see; null: all (contract/tokens.md#permissions). */
    readonly onlyChannels: readonly string[] | null;
    readonly requestedAt: string;
    /** What is 'now' for a report that is asked as of then (contract/reports.md#tasks); absent: `requestedAt`. */
    readonly now?: string;
  }
>;

export type ReportStarted = DomainEvent<"ReportStarted", { readonly taskId: string }>;

/** What readers of a report are notified of (contract/reports.md#notifications). */
export interface ReportNotification extends Message {
  readonly type: "INFO" | "WARNING";
}

export type ReportSucceeded = DomainEvent<
  "ReportSucceeded",
  {
    readonly taskId: string;
    /** Rows stored: at most 10,000 (contract/reports.md#rows). */
    readonly rowCount: number;
    /** SHA-256 over the stored rows, hex: the same when the report is computed again. */
    readonly rowsHash: string;
    readonly notifications: readonly ReportNotification[];
    readonly endedAt: string;
  }
>;

/**
 * Why a report has no result: its statement took too long, one group of it has more rows than a result holds, the facts
 * did not come as far in time, or a fault of ours.
 */
export type ReportFailureReason = "too_slow" | "too_large" | "facts_behind" | "internal_error";

export type ReportFailed = DomainEvent<
  "ReportFailed",
  { readonly taskId: string; readonly reason: ReportFailureReason; readonly endedAt: string }
>;

export type ReportCanceled = DomainEvent<"ReportCanceled", { readonly taskId: string; readonly endedAt: string }>;

export type ReportTaskEvent = ReportRequested | ReportStarted | ReportSucceeded | ReportFailed | ReportCanceled;
