import type { EventPlace, ReportKind, ReportQueries } from "../../../domain/report-tasks/events.ts";
import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { MaskedRange } from "../../../domain/reporting/masking.ts";
import type { DailyRates } from "../../../domain/reporting/rate-pairs.ts";
import type { SchemaName } from "../../projection.ts";
import type { Bind } from "./bindings.ts";

/** The properties that determine a report besides its query. */
export interface ReportScope {
  readonly appId: number;
  /** The app's: the currency of amounts. */
  readonly currency: string;
  /** The app's, an IANA name. */
  readonly timezone: string;
  /** Channels that the report is limited to; null: all. */
  readonly onlyChannels: readonly string[] | null;
  readonly position: bigint;
  /**
   * Its 'now', which determines the intervals that have begun and the data that are too old
   * (contract/reports.md#tasks).
   */
  readonly now: Date;
}

/** One kind of report at one log position. */
export type ReportAt<Kind extends ReportKind> = ReportScope & { readonly query: ReportQueries[Kind] };

export type ActualsAt = ReportAt<"actuals">;

/** The dates and filters of the facts that one statement reads. */
export type RangeAt = ReportScope & { readonly query: Pick<ActualsQuery, "from" | "to" | "filters"> };

/** The common input of the parts of one statement. */
export interface QueryContext {
  readonly schema: SchemaName;
  readonly report: RangeAt;
  /** Exchange rates on each date of the report. */
  readonly rates: DailyRates;
  /** The masked ranges of the report's dates (contract/reports.md#masking). */
  readonly masked: readonly MaskedRange[];
  readonly bind: Bind;
}

/** Before the parameters of a statement are collected. */
export type UnboundContext = Omit<QueryContext, "bind">;

/** The log position of an event; null when the log does not have it. */
export type PositionOf = (place: EventPlace) => Promise<bigint | null>;

/**
 * A report task with the position that it is computed at: that of its `asOf`, else of its request
 * (contract/reports.md#tasks). Null when the log does not have the event of its `asOf`: older versions named claims, which a
 * copy of the log lacks.
 */
export async function withAsOfPosition<
  Task extends { readonly position: bigint; readonly query: { readonly asOf?: EventPlace } },
>(task: Task, positionOf: PositionOf): Promise<Task | null> {
  const { asOf } = task.query;
  if (asOf === undefined) return task;
  const position = await positionOf(asOf);
  return position === null ? null : { ...task, position };
}
