import type { EventPlace, ReportKind, ReportQueries } from "../../../domain/report-tasks/events.ts";
import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { DailyRates } from "../../../domain/reporting/currency-conversion.ts";
import type { MaskedRange } from "../../../domain/reporting/masking.ts";
import type { SchemaName } from "../../projection.ts";
import type { Bind } from "./statement.ts";

/** What determines a report besides its query. */
export interface ReportScope {
  readonly appId: number;
  /** The app's: the currency of amounts. */
  readonly currency: string;
  /** The app's, an IANA name. */
  readonly timezone: string;
  /** Channels that the report is confined to; null: all. */
  readonly onlyChannels: readonly string[] | null;
  readonly position: bigint;
  /** What is 'now' for it: which intervals have begun, which data are too old (contract/reports.md#tasks). */
  readonly now: Date;
}

/** One kind of report at one log position. */
export type ReportAt<Kind extends ReportKind> = ReportScope & { readonly query: ReportQueries[Kind] };

export type ActualsAt = ReportAt<"actuals">;

/** The facts that one statement reads: of which dates, and which filters they pass. */
export type RangeAt = ReportScope & { readonly query: Pick<ActualsQuery, "from" | "to" | "filters"> };

/** What the parts of one statement share. */
export interface QueryContext {
  readonly schema: SchemaName;
  readonly report: RangeAt;
  /** Exchange rates on each date of the report. */
  readonly rates: DailyRates;
  /** What is left out of the report's dates (contract/reports.md#masking). */
  readonly masked: readonly MaskedRange[];
  readonly bind: Bind;
}

/** Before the parameters of a statement are collected. */
export type UnboundContext = Omit<QueryContext, "bind">;

/** The log position of an event that is there. */
export type PositionOf = (place: EventPlace) => Promise<bigint>;

/**
 * A report task with the position that it is computed at: that of its `asOf`, else of its request
 * (contract/reports.md#tasks).
 */
export async function resolveAsOf<
  Task extends { readonly position: bigint; readonly query: { readonly asOf?: EventPlace } },
>(task: Task, positionOf: PositionOf): Promise<Task> {
  const { asOf } = task.query;
  return asOf === undefined ? task : { ...task, position: await positionOf(asOf) };
}
