import type { Knex } from "knex";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { DateRange, MaskingReason } from "../../../domain/reporting/masking.ts";
import type { DailyRates, RatePair } from "../../../domain/reporting/rate-pairs.ts";
import { addDays, daysBetween } from "../../../domain/values/local-time.ts";
import type { ReadModel } from "../../projection.ts";
import { factKinds } from "../facts/fact-kinds.ts";
import { countsAmounts } from "../facts/from-clause.ts";
import { longestAttributionDays, reasonsOf, selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectRates } from "../money/select-rates.ts";
import { selectRows } from "../query/bindings.ts";
import type { RangeAt, UnboundContext } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import type { ExplainedFact } from "./fact-fields.ts";
import { type CellPart, explanationStatement } from "./statement.ts";

/** A fact and what it adds to a cell. Numbers are exact decimal text. */
export interface Contribution {
  readonly fact: ExplainedFact;
  /** The amount as sent, in its original currency; null: the metric counts no amounts. */
  readonly amount: { readonly value: string; readonly currency: string | null } | null;
  /**
   * The exchange rates of the amount: times `appUnits`, divided by `ownUnits` (contract/money.md#conversion); null: not
   * converted.
   */
  readonly rate: RatePair | null;
  readonly contribution: string;
}

/** What a cell counts: for a simple metric all of it, for a ratio its numerator or its denominator. */
export interface ExplainedPart {
  readonly counts: SimpleMetric;
  /** Of all contributions, those of other pages included: decimal text. */
  readonly sum: string;
  /** How many contributions there are. */
  readonly found: number;
  /** Number of unmasked facts without an exchange rate (contract/money.md#conversion), and their currencies. */
  readonly unconverted: { readonly count: number; readonly currencies: readonly string[] };
  /** Why other facts are masked (contract/reports.md#masking); their number is never revealed. */
  readonly maskingReasons: readonly MaskingReason[];
  /** Those of the requested page. */
  readonly contributions: readonly Contribution[];
}

export interface Page {
  readonly skip: number;
  readonly size: number;
}

/**
 * The contributions to the parts of a cell, all read from one state of the facts at a report's position.
 * @param report limited to the dates of the cell
 * @param dates of the facts that are read, if they are more than those of the cell
 */
export async function explainParts(
  facts: ReadModel,
  report: RangeAt,
  counted: readonly CellPart[],
  page: Page,
  limits: ReportLimits,
  dates: DateRange = report.query,
): Promise<readonly ExplainedPart[]> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const { from, to } = dates;
    const touched = { from: addDays(from, -longestAttributionDays), to };
    const masked = await selectMaskedRanges(trx, facts.schema, report, touched);
    const parts: ExplainedPart[] = [];
    // A part that counts payers as well as amounts needs their rates too.
    const hasAmounts = counted.some(({ metric }) => factKinds.some((kind) => countsAmounts(metric, kind)));
    const rates: DailyRates = hasAmounts ? await selectRates(trx, facts.schema, report) : new Map();
    for (const part of counted) {
      const context = { schema: facts.schema, report, rates, masked };
      await trx.raw(planSettings(part));
      const found = await selectPart(trx, part, context, page);
      parts.push({
        counts: part.metric,
        sum: found.sum,
        found: found.found,
        unconverted: { count: found.unconverted, currencies: found.currencies ?? [] },
        maskingReasons: reasonsOf(found.maskingReasons),
        contributions: found.contributions.map((fact) => contributionOf(fact, rates, report)),
      });
    }
    return parts;
  });
}

interface FoundPart {
  readonly found: number;
  readonly sum: string;
  readonly unconverted: number;
  readonly currencies: readonly string[] | null;
  readonly maskingReasons: number;
  readonly contributions: readonly FoundFact[];
}

interface FoundFact {
  readonly fact: ExplainedFact;
  readonly localDate: string;
  readonly value: string | null;
  readonly currency: string | null;
  readonly contribution: string;
}

/**
 * Planner settings for the statement of a part. The planner cannot estimate the joins of cohorts, and a nested loop
 * once made 127 million comparisons; everything else is looked up by index. Parallel workers group a million facts by
 * device in a quarter less time, but the planner overestimates the cost of passing on their rows.
 */
function planSettings({ cohort }: CellPart): string {
  const joins = cohort === undefined ? "on" : "off";
  return `set local enable_nestloop = ${joins}; set local enable_mergejoin = ${joins}; set local parallel_tuple_cost = 0.01`;
}

async function selectPart(
  trx: Knex.Transaction,
  part: CellPart,
  context: UnboundContext,
  page: Page,
): Promise<FoundPart> {
  const [found] = await selectRows<FoundPart>(trx, explanationStatement(part, context, page));
  if (found === undefined) throw new Error("A row was expected");
  return found;
}

function contributionOf(found: FoundFact, rates: DailyRates, { query }: RangeAt): Contribution {
  const { fact, localDate, value, currency, contribution } = found;
  if (value === null) return { fact, amount: null, rate: null, contribution };
  const rate = rates.get(currency ?? "")?.[daysBetween(query.from, localDate)] ?? null;
  return { fact, amount: { value, currency }, rate, contribution };
}
