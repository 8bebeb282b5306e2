import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { DateRange } from "../../../domain/reporting/masking.ts";
import type { ReadModel } from "../../projection.ts";
import { selfAttributingChannels } from "../masking/count-channel-months.ts";
import { selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectAggregatedDays } from "../query/aggregated-days.ts";
import { selectRows } from "../query/bindings.ts";
import { decidedPosition } from "../query/decided-position.ts";
import type { ReportScope } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction, wasCancelled } from "../query/report-transaction.ts";
import type { ActualsRow } from "./run.ts";
import { actualsStatement } from "./statement.ts";

/** A number as reports show it: without masked facts, or null if all are masked (contract/reports.md#masking). */
interface Cell {
  readonly value: number | null;
  readonly isMasked: boolean;
}

export interface LinkStats {
  readonly clicks: Cell;
  readonly installs: Cell;
}

/** The numbers of a requested link. */
export type StatsOfLink = (link: { readonly linkId: number; readonly channel: string }) => LinkStats;

const metrics = ["clicks", "app_installs"] as const;

/**
 * Clicks and attributed installs of links on local dates, as an actuals report by link shows them at the last position
 * whose facts are decided. A link without a row has no facts or only masked ones; when its channel has masked dates,
 * the two cases look the same. Null: it took too long.
 * @param facts the live generation of the facts
 */
export async function linkStats(
  facts: ReadModel,
  scope: Omit<ReportScope, "position">,
  range: DateRange,
  linkIds: readonly number[],
  limits: ReportLimits = { timeoutMs: 10_000 },
): Promise<StatsOfLink | null> {
  try {
    return await selectStats(facts, scope, range, linkIds, limits);
  } catch (failure) {
    if (wasCancelled(failure)) return null;
    throw failure;
  }
}

async function selectStats(
  { db, schema }: ReadModel,
  scope: Omit<ReportScope, "position">,
  range: DateRange,
  linkIds: readonly number[],
  limits: ReportLimits,
): Promise<StatsOfLink> {
  return reportTransaction(db, limits, async (trx) => {
    const ofLinks = { dimension: "tracking_link_id", filterType: "IN", values: linkIds.map(String) } as const;
    const query: ActualsQuery = { ...range, groupBys: [ofLinks.dimension], metrics, filters: [ofLinks], sorts: [] };
    const report = { ...scope, position: await decidedPosition(trx, schema, scope.appId), query };
    const masked = await selectMaskedRanges(trx, schema, report, range);
    const days = await selectAggregatedDays(trx, schema, report);
    const statement = actualsStatement({ schema, report, rates: new Map(), masked }, query, days);
    const rows = await selectRows<ActualsRow>(trx, statement);
    const rowOf = new Map(rows.map((row) => [row.groupBys[0], row]));
    const unseen = await selfAttributingChannels(trx, schema, report, false);
    const maskedChannels = new Set([...masked.map(({ channel }) => channel), ...unseen]);
    return ({ linkId, channel }) => {
      const row = rowOf.get(String(linkId));
      const cell = (index: number): Cell => {
        if (row === undefined) return maskedChannels.has(channel) ? { value: null, isMasked: true } : zero;
        const value = row.values[index] ?? null;
        return { value: value === null ? null : Number(value), isMasked: row.masked[index] === true };
      };
      return { clicks: cell(0), installs: cell(1) };
    };
  });
}

const zero: Cell = { value: 0, isMasked: false };

/** The numbers of links on dates that have not begun. */
export const noStats: StatsOfLink = () => ({ clicks: zero, installs: zero });
