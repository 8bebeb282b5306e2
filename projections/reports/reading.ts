import type { ActualsQuery } from "../../domain/report-tasks/events.ts";
import type { DailyRates } from "../../domain/reporting/conversion.ts";
import type { SchemaName } from "../projection.ts";
import type { Bind } from "./bindings.ts";

/** An actuals report at one log position. */
export interface ActualsAt {
  readonly appId: number;
  /** The app's: what amounts are told in. */
  readonly currency: string;
  readonly query: ActualsQuery;
  /** Channels that the report is confined to; null: all. */
  readonly onlyChannels: readonly string[] | null;
  readonly position: bigint;
}

/** What the parts of one statement share. */
export interface Reading {
  readonly schema: SchemaName;
  readonly report: ActualsAt;
  /** Exchange rates on each date of the report. */
  readonly rates: DailyRates;
  readonly bind: Bind;
}
