import type { Knex } from "knex";
import {
  type DateRange,
  type WithheldBecause,
  type WithheldRange,
  withheldRanges,
  youngEnough,
} from "../../../domain/reporting/masking.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import type { Bind } from "./bindings.ts";
import { type AppAt, channelMonths, selfAttributingChannels } from "./channel-months.ts";

/**
 * What every report leaves out of some dates (contract/reports.md#masking): the touchpoints of a self-attributing
 * channel, and the app events that carry its label, by their own local dates. Whole months decide, at the report's
 * position, whatever it asks.
 * @param report `today` is the app's local date of the report's 'now'
 * @param range the local dates that the report reads
 */
export async function selectWithheld(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: AppAt & { readonly today: LocalDate },
  range: DateRange,
): Promise<readonly WithheldRange[]> {
  const channels = await selfAttributingChannels(trx, schema, report);
  const young = youngEnough(range, report.today);
  const isAnyMonth = channels.length > 0 && young !== null;
  const counted = isAnyMonth ? await channelMonths(trx, schema, report, channels, young) : [];
  return withheldRanges(channels, counted, range, report.today);
}

/** How a statement spells the reasons of losses, so that those of many facts are told in one number. */
const reasonBits: { readonly [because in WithheldBecause]: number } = { small_month: 1, older_than_175_days: 2 };

/**
 * `withheld` for the `with` of a statement: the sources and dates that are left out, `because` as bits
 * (`reasonsIn`). An empty text when nothing is: then a statement must not join it.
 */
export function withheldTable(ranges: readonly WithheldRange[], schema: SchemaName, appId: number, bind: Bind): string {
  if (ranges.length === 0) return "";
  const column = (type: string, of: (range: WithheldRange) => string): string => `${bind(ranges.map(of))}::${type}[]`;
  const columns = [
    column("text", ({ channel }) => channel),
    column("date", ({ from }) => from),
    column("date", ({ to }) => to),
    column("integer", ({ because }) => reasonBits[because].toString()),
  ];
  return `withheld as materialized (
      select source.source_key, range.first_date, range.last_date, range.because
      from unnest(${columns.join(", ")}) as range (channel, first_date, last_date, because)
      join ${schema}.sources as source on source.app_id = ${bind(appId)} and source.channel = range.channel
    )`;
}

/** Joins touchpoints or app events (`fact`) with what is withheld: at most one row each. */
export const withheldJoin = `left join withheld on withheld.source_key = fact.source_key
    and fact.local_date between withheld.first_date and withheld.last_date`;

/** Whether a fact joined with {@link withheldJoin} is left out, and whether it is left. */
export const isWithheld = "withheld.source_key is not null";
export const isLeft = "withheld.source_key is null";

/** The reasons of the losses among facts that meet a condition, as bits; null when nothing was lost. */
export function lossWhere(condition: string): string {
  return `bit_or(withheld.because) filter (where ${condition})`;
}

/** What bits tell, in one order. */
export function reasonsIn(bits: number): readonly WithheldBecause[] {
  return (["small_month", "older_than_175_days"] as const).filter((because) => (bits & reasonBits[because]) > 0);
}
