import type { Knex } from "knex";
import { daysBetween, localDate } from "../../domain/local-time.ts";
import type { DailyRates, RatePair } from "../../domain/reporting/conversion.ts";
import type { WithheldBecause } from "../../domain/reporting/masking.ts";
import type { SimpleMetric } from "../../domain/reporting/metric.ts";
import type { ReadModel } from "../projection.ts";
import type { Statement } from "./actuals-statement.ts";
import { selectRates } from "./exchange-rates.ts";
import type { SaidOfFact } from "./explain-facts.ts";
import { type CountedCell, pageStatement, sumStatement } from "./explain-statements.ts";
import { countsAmounts } from "./facts-of.ts";
import { factKinds } from "./measures.ts";
import type { RangeAt } from "./reading.ts";
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
 * What the parts of a cell are made of, found at a report's position in one look at the facts.
 * @param report over the dates that the cell is of
 */
export async function explainParts(
  facts: ReadModel,
  report: RangeAt,
  counted: readonly CountedCell[],
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const today = localDate(report.timezone, report.now.getTime());
    const withheld = await selectWithheld(trx, facts.schema, { ...report, today }, report.query);
    const parts: ExplainedPart[] = [];
    for (const part of counted) {
      const hasAmounts = factKinds.some((kind) => countsAmounts(part.metric, kind));
      const rates: DailyRates = hasAmounts ? await selectRates(trx, facts.schema, report) : new Map();
      const reading = { schema: facts.schema, report, rates, withheld };
      const [sums] = await rowsOf<FoundSums>(trx, sumStatement(part, reading));
      const found = await rowsOf<FoundFact>(trx, pageStatement(part, reading, page));
      parts.push({
        counts: part.metric,
        sum: sums?.sum ?? "0",
        found: sums?.found ?? 0,
        lost: { count: sums?.lost ?? 0, currencies: sums?.currencies ?? [] },
        withheld: reasonsIn(sums?.withheld ?? 0),
        contributions: found.map((fact) => contributionOf(fact, rates, report)),
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
  readonly withheld: number;
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

function contributionOf(found: FoundFact, rates: DailyRates, { query }: RangeAt): Contribution {
  const { fact, localDate, value, currency, contribution } = found;
  if (value === null) return { fact, amount: null, rate: null, contribution };
  const pair = rates.get(currency ?? "")?.[daysBetween(query.from, localDate)];
  const rate = pair && { date: pair.date, appUnits: pair.appUnits, ownUnits: pair.ownUnits };
  return { fact, amount: { value, currency }, rate: rate ?? null, contribution };
}
