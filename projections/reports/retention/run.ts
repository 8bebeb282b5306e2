import { momentOf, returnDates } from "../../../domain/reporting/granularity.ts";
import { maxResultLines } from "../../../domain/reporting/limits.ts";
import { exceededGroupLimits } from "../../../domain/reporting/notifications.ts";
import {
  type CountedBlock,
  type CountedLine,
  intervalCount,
  type RetentionGroup,
  retentionGroup,
} from "../../../domain/reporting/retention/row.ts";
import { startCategories } from "../../../domain/reporting/return-events.ts";
import type { ReadModel } from "../../projection.ts";
import { startsAndReturns } from "../cohorts/cohort-events.ts";
import { selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectWithheldMonths } from "../masking/withheld-months.ts";
import { selectRows } from "../query/bindings.ts";
import type { ReportAt } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { mapInTurns } from "../results/map-in-turns.ts";
import { type ComputedReport, computedReport, type ReportComputation } from "../results/report-computation.ts";
import { explainRetention, type RetentionCell } from "./explain.ts";
import { retentionStatement } from "./statement.ts";

/** A group of a result. Missing group-by values are null. */
export interface RetentionRow extends RetentionGroup {
  readonly groupBys: readonly (string | null)[];
}

export type RetentionResult = ComputedReport<RetentionRow>;

/** A row of the statement; all but `groups` are null where no group is picked. */
interface FoundLine {
  readonly groups: number;
  readonly place: number | null;
  readonly groupBys: readonly (string | null)[];
  readonly block: number | null;
  readonly startUsers: number;
  readonly firstUsers: number;
  readonly startMaskingReasons: number | null;
  readonly cells: string;
  readonly maskingReasons: number;
}

/**
 * Computes a retention report from the facts at its position (contract/reports.md#tasks,
 * contract/reports.md#retention). The facts must have passed that position, and every target event up to it must be
 * decided.
 *
 * The start of a device and date is chosen among all start events of the requested kinds, then filtered, so that the row of
 * a group equals that of a report filtered to the group; returns count whatever they are attributed to.
 * @param facts the live generation of the facts
 * @returns null when the first group alone has more sub-rows than a result holds
 */
export async function runRetention(
  facts: ReadModel,
  report: ReportAt<"retention">,
  limits: ReportLimits,
): Promise<RetentionResult | null> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const { query, timezone, now } = report;
    const read = returnDates(query, momentOf(now, timezone));
    const masked = await selectMaskedRanges(trx, facts.schema, report, read);
    // The planner cannot estimate the intermediate results that the statement joins, and may choose ruinous nested
    // loops.
    await trx.raw("set local enable_nestloop = off");
    const time = { granularity: query.granularity, from: query.from, timezone, now };
    const max = maxResultLines(intervalCount(time));
    const found = await selectRows<FoundLine>(trx, retentionStatement(facts.schema, report, read.to, masked, max));
    const lines = found.filter(({ place }) => place !== null);
    const groups = found[0]?.groups ?? 0;
    if (lines.length === 0 && groups > 0) return null;
    // One group alone can have millions of cells.
    const counted = await mapInTurns(lines, countedLine);
    const rows = await mapInTurns(linesByGroup(counted), ([own, ...blocks]): RetentionRow => {
      if (own === undefined) throw new Error("A group has a line of its own");
      return { groupBys: own.groupBys, ...retentionGroup(own, blocks.map(blockOf), time) };
    });
    const maskingReasons = lines.reduce((bits, line) => bits | line.maskingReasons, 0);
    const starts = query.startEvents.map((event) => startCategories[event]);
    return computedReport(report, {
      rows,
      maskingReasons,
      withheld: await selectWithheldMonths(
        trx,
        { schema: facts.schema, rates: new Map(), masked },
        startsAndReturns(report, starts, query.returnEvents, read),
        maskingReasons,
      ),
      exceeded: groups > rows.length ? exceededGroupLimits : null,
      missingRates: [],
    });
  });
}

/** A line with its cells parsed. */
type ParsedLine = Pick<FoundLine, "groupBys" | "block" | "firstUsers"> & CountedLine;

function countedLine({ startMaskingReasons, cells, groupBys, block, firstUsers, startUsers }: FoundLine): ParsedLine {
  const hasMaskedStarts = startMaskingReasons !== null;
  return { groupBys, block, firstUsers, startUsers, hasMaskedStarts, returned: returnedIn(cells) };
}

/** Parses comma-separated texts of `interval users maskingReasons`. */
function returnedIn(cells: string): CountedLine["returned"] {
  const returned: (number | null)[] = [];
  for (const cell of cells === "" ? [] : cells.split(",")) {
    const [interval = 0, users = 0, maskingReasons = 0] = cell.split(" ").map(Number);
    returned[interval] = maskingReasons > 0 ? null : users;
  }
  return returned;
}

/** The lines of groups: each group's own line, then those of its blocks, as in the statement's order. */
function linesByGroup(lines: readonly ParsedLine[]): readonly (readonly ParsedLine[])[] {
  const groups: ParsedLine[][] = [];
  for (const line of lines) {
    if (line.block === null) groups.push([]);
    groups.at(-1)?.push(line);
  }
  return groups;
}

function blockOf(line: ParsedLine): CountedBlock {
  return { ...line, block: line.block ?? 0 };
}

/** How retention reports are computed and explained. */
export const retentionComputation: ReportComputation<"retention", RetentionCell> = {
  run: runRetention,
  explain: explainRetention,
};
