import type { Knex } from "knex";
import { daysBetween, localDate } from "../../domain/local-time.ts";
import { askedMetric } from "../../domain/reporting/catalogue.ts";
import type { DailyRates, RatePair } from "../../domain/reporting/conversion.ts";
import type { WithheldBecause } from "../../domain/reporting/masking.ts";
import { partsOf, type SimpleMetric } from "../../domain/reporting/metric.ts";
import type { ReadModel } from "../projection.ts";
import type { Statement } from "./actuals-statement.ts";
import { selectRates } from "./exchange-rates.ts";
import { type Cell, narrowedTo, rowValues } from "./explain-cell.ts";
import type { SaidOfFact } from "./explain-facts.ts";
import { pageStatement, sumStatement } from "./explain-statements.ts";
import { countsAmounts } from "./facts-of.ts";
import { factKinds } from "./measures.ts";
import type { ActualsAt } from "./reading.ts";
import { type ReportLimits, reportTransaction } from "./report-transaction.ts";
import { reasonsIn, selectWithheld } from "./withheld.ts";

/** What one fact adds to a cell, and what it is known by. Numbers are exact decimal text. */
export interface Contribution {
  readonly fact: SaidOfFact;
  /** What was sent, in the currency that it was sent in; null: the metric counts no amounts. */
  readonly amount: { readonly value: string; readonly currency: string | null } | null;
  /** What the amount was converted with: times `appUnits`, divided by `ownUnits` (D12); null: nothing to convert. */
  readonly rate: Omit<RatePair, "currency"> | null;
  readonly contribution: string;
}

/** What a cell counts: for a simple metric all of it, for a ratio its numerator or its denominator. */
export interface ExplainedPart {
  readonly counts: SimpleMetric;
  /** Of all contributions, those of other pages included: decimal text. */
  readonly sum: string;
  /** How many contributions there are. */
  readonly found: number;
  /** How many facts are left out for want of an exchange rate (D12), and in which currencies. */
  readonly lost: { readonly count: number; readonly currencies: readonly string[] };
  /** Why others are withheld of it (D7.7); how many is not told. */
  readonly withheld: readonly WithheldBecause[];
  /** Those of the page asked for. */
  readonly contributions: readonly Contribution[];
}

export interface Page {
  readonly skip: number;
  readonly size: number;
}

/**
 * What is behind a cell of an actuals report, found at the report's position by the conditions that the report itself
 * was computed with: the sum of a part's contributions is what the report took it to be.
 * @param facts the generation of the facts that answers; it must have passed the report's position
 */
export async function explainActuals(
  facts: ReadModel,
  report: ActualsAt,
  cell: Cell,
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  const narrowed = narrowedTo(cell, report);
  const row = rowValues(report.query.groupBys, cell.groupBys);
  return reportTransaction(facts.db, limits, async (trx) => {
    const today = localDate(report.timezone, report.now.getTime());
    const withheld = await selectWithheld(trx, facts.schema, { ...report, today }, narrowed.query);
    const parts: ExplainedPart[] = [];
    for (const counts of partsOf(askedMetric(cell.metric))) {
      const hasAmounts = factKinds.some((kind) => countsAmounts(counts, kind));
      const rates: DailyRates = hasAmounts ? await selectRates(trx, facts.schema, narrowed) : new Map();
      const part = { metric: counts, row };
      const reading = { schema: facts.schema, report: narrowed, rates, withheld };
      const [sums] = await rowsOf<FoundSums>(trx, sumStatement(part, reading));
      const found = await rowsOf<FoundFact>(trx, pageStatement(part, reading, page));
      parts.push({
        counts,
        sum: sums?.sum ?? "0",
        found: sums?.found ?? 0,
        lost: { count: sums?.lost ?? 0, currencies: sums?.currencies ?? [] },
        withheld: reasonsIn(sums?.withheld ?? 0),
        contributions: found.map((fact) => contributionOf(fact, rates, narrowed)),
      });
    }
    return parts;
  });
}

interface FoundSums {
  readonly found: number;
  readonly sum: string;
  readonly lost: number;
  readonly currencies: readonly string[] | null;
  readonly withheld: number | null;
}

interface FoundFact {
  readonly fact: SaidOfFact;
  readonly localDate: string;
  readonly value: string | null;
  readonly currency: string | null;
  readonly contribution: string;
}

async function rowsOf<Row>(trx: Knex.Transaction, { text, values }: Statement): Promise<readonly Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(text, values);
  return rows;
}

function contributionOf(found: FoundFact, rates: DailyRates, { query }: ActualsAt): Contribution {
  const { fact, localDate, value, currency, contribution } = found;
  if (value === null) return { fact, amount: null, rate: null, contribution };
  const pair = rates.get(currency ?? "")?.[daysBetween(query.from, localDate)];
  const rate = pair && { date: pair.date, appUnits: pair.appUnits, ownUnits: pair.ownUnits };
  return { fact, amount: { value, currency }, rate: rate ?? null, contribution };
}
