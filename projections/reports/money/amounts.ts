import type { DailyRates } from "../../../domain/reporting/rate-pairs.ts";
import { maskedTables } from "../masking/masked-facts.ts";
import type { Bind } from "../query/bindings.ts";
import type { QueryContext } from "../query/query-context.ts";

/** The columns with amounts, whose currency is in `currency`; without one a value is a plain number. */
export const amountColumns = {
  appEvents: "fact.value",
  spend: "fact.cost",
  uploadedMetrics: "fact.event_value",
} as const;

function columnName(kind: AmountKind): string {
  return amountColumns[kind].replace("fact.", "");
}

export type AmountKind = keyof typeof amountColumns;

/** An amount in SQL. */
export interface Amount {
  /** In the app's currency, numeric; null when there is none, or no exchange rate for it. */
  readonly converted: string;
  /** Whether it is not converted because an exchange rate is missing; 0 needs none. */
  readonly isUnconverted: string;
  /** The columns of the fact that these read. */
  readonly columns: readonly string[];
}

/**
 * An amount in the app's currency (contract/money.md#conversion), in a statement that begins with {@link rateTable}.
 */
export function amountOf(kind: AmountKind, { report, rates, bind }: QueryContext): Amount {
  const column = amountColumns[kind];
  const isForeign = `${column} <> 0 and fact.currency <> ${bind(report.currency)}`;
  if (rates.size === 0) {
    const converted = `case when ${isForeign} then null else ${column} end`;
    return { converted, isUnconverted: isForeign, columns: [columnName(kind), "currency"] };
  }
  const place = `2 * (fact.local_date - ${bind(report.query.from)}::date)`;
  const appUnits = `(select daily from rate) -> fact.currency ->> (${place})`;
  const ownUnits = `(select daily from rate) -> fact.currency ->> (${place} + 1)`;
  return {
    converted: `case when ${isForeign} then ${column} * (${appUnits})::numeric / (${ownUnits})::numeric else ${column} end`,
    isUnconverted: `${isForeign} and (${appUnits}) is null`,
    columns: [columnName(kind), "currency", "local_date"],
  };
}

/** What every statement with amounts begins with: {@link rateTable} and {@link maskedTables}. */
export function contextTables(context: QueryContext): readonly string[] {
  return [rateTable(context.rates, context.bind), ...maskedTables(context)];
}

/**
 * `rate` for the `with` of a statement, one row: by currency, units of the app's and of its own on each date in turn.
 * It is looked up for each foreign amount, as these are few and a join would look up every fact.
 */
function rateTable(rates: DailyRates, bind: Bind): string {
  const daily = [...rates].map(([currency, days]) => {
    return [currency, days.flatMap((pair) => [pair?.appUnits ?? null, pair?.ownUnits ?? null])] as const;
  });
  return `rate as materialized (select ${bind(JSON.stringify(Object.fromEntries(daily)))}::jsonb as daily)`;
}
