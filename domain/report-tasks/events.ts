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

/** Query fields of every kind of report. Dates are local dates of the app's time zone, inclusive. */
export interface DateRangeQuery {
  readonly from: string;
  readonly to: string;
  readonly groupBys: readonly string[];
  readonly filters: readonly ReportFilter[];
  /** The last event that the report includes, with all before it (contract/reports.md#tasks); absent: its own request. */
  readonly asOf?: EventPlace;
}

/**
 * The stored query of each kind of report, by kind. Each kind adds its own (`declare module` in its `query.ts` in
 * `domain/reporting`), so that this file does not list them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the kinds of reports augment it.
export interface ReportQueries {}

export type ReportKind = keyof ReportQueries;

/** A kind of report and its query. */
export type RequestedReport = {
  readonly [Kind in ReportKind]: { readonly report: Kind; readonly query: ReportQueries[Kind] };
}[ReportKind];

export type ReportRequested = DomainEvent<
  "ReportRequested",
  RequestedReport & {
    readonly taskId: string;
    readonly appId: number;
    /** Channels that a media partner's token may see; null: all (contract/tokens.md#permissions). */
    readonly onlyChannels: readonly string[] | null;
    readonly requestedAt: string;
    /** The 'now' of a report with `asOf` (contract/reports.md#tasks); absent: `requestedAt`. */
    readonly now?: string;
  }
>;

export type ReportStarted = DomainEvent<"ReportStarted", { readonly taskId: string }>;

/** A notification to the readers of a report (contract/reports.md#notifications). */
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
 * Why a report failed: its statement timed out, one group has more rows or cells than a result may have, the facts did
 * not reach its position in time, or an internal error.
 */
export type ReportFailureReason = "too_slow" | "too_large" | "facts_behind" | "internal_error";

export type ReportFailed = DomainEvent<
  "ReportFailed",
  { readonly taskId: string; readonly reason: ReportFailureReason; readonly endedAt: string }
>;

export type ReportCanceled = DomainEvent<"ReportCanceled", { readonly taskId: string; readonly endedAt: string }>;

export type ReportTaskEvent = ReportRequested | ReportStarted | ReportSucceeded | ReportFailed | ReportCanceled;
