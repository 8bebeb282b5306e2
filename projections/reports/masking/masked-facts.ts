import type { Knex } from "knex";
import {
  type DateRange,
  findMaskedRanges,
  type MaskedRange,
  type MaskingReason,
  unexpiredPart,
} from "../../../domain/reporting/masking.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import type { Bind } from "../query/bindings.ts";
import { type AppAt, channelMonths, selfAttributingChannels } from "./count-channel-months.ts";
import type { ViewContext } from "./fact-view.ts";

/**
 * The ranges that every report masks (contract/reports.md#masking): on these local dates, the touchpoints of a
 * self-attributing channel and the app events with its label. They depend on whole months at the report's position, not
 * on the query.
 * @param range the local dates that the report reads
 */
export async function selectMaskedRanges(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: AppAt & { readonly timezone: string; readonly now: Date },
  range: DateRange,
): Promise<readonly MaskedRange[]> {
  const today = localDate(report.timezone, report.now.getTime());
  const channels = await selfAttributingChannels(trx, schema, report);
  const young = unexpiredPart(range, today);
  const isAnyMonth = channels.length > 0 && young !== null;
  const counted = isAnyMonth ? await channelMonths(trx, schema, report, channels, young) : [];
  return findMaskedRanges(channels, counted, range, today);
}

/**
 * A touchpoint may lie before an event by its lookback window and the attribution window, 30 days each
 * (contract/administration.md#attribution-rules).
 */
export const longestAttributionDays = 61;

/** The reasons of masking as bits, so that one number has those of many facts. */
const reasonBits: { readonly [reason in MaskingReason]: number } = { small_month: 1, older_than_175_days: 2 };

/**
 * `masked` for the `with` of a statement: the sources and dates that are left out, `masking_reasons` as bits
 * (`reasonsOf`). Empty when nothing is masked: then the statement must not join it.
 */
export function maskedTables({ masked, schema, report, bind }: MaskingContext): readonly string[] {
  if (masked.length === 0) return [];
  const column = (type: string, of: (range: MaskedRange) => string): string => `${bind(masked.map(of))}::${type}[]`;
  const columns = [
    column("text", ({ channel }) => channel),
    column("date", ({ from }) => from),
    column("date", ({ to }) => to),
    column("integer", ({ reason }) => reasonBits[reason].toString()),
  ];
  return [
    `masked as materialized (
      select source.source_key, range.first_date, range.last_date, range.masking_reasons
      from unnest(${columns.join(", ")}) as range (channel, first_date, last_date, masking_reasons)
      join ${schema}.sources as source
        on source.app_id = ${bind(report.appId)} and source.channel = range.channel
    )`,
  ];
}

/** The input of masking in a statement. */
interface MaskingContext extends ViewContext {
  readonly report: { readonly appId: number };
  readonly bind: Bind;
}

/** The reasons that are set in bits, in a fixed order. */
export function reasonsOf(bits: number): readonly MaskingReason[] {
  return (["small_month", "older_than_175_days"] as const).filter((reason) => (bits & reasonBits[reason]) > 0);
}
