import type { Reading } from "./reading.ts";

/** The columns that hold amounts, their currency beside them in `currency`; without one a value is a plain number. */
export const amountColumns = {
  appEvents: "fact.value",
  spend: "fact.cost",
  uploadedMetrics: "fact.event_value",
} as const;

export type AmountKind = keyof typeof amountColumns;

/** An amount in SQL. */
export interface Amount {
  /** In the app's currency, numeric; null when there is none, or no exchange rate for it. */
  readonly converted: string;
  /** Whether it is left out for want of an exchange rate. Nothing is nothing in every currency. */
  readonly isLost: string;
}

/** An amount in the app's currency (D12). Its facts are joined with {@link rateJoin}. */
export function amountOf(kind: AmountKind, { report, rates, bind }: Reading): Amount {
  const column = amountColumns[kind];
  const isForeign = `${column} <> 0 and fact.currency <> ${bind(report.currency)}`;
  if (rates.length === 0) {
    return { converted: `case when ${isForeign} then null else ${column} end`, isLost: isForeign };
  }
  return {
    converted: `case when ${isForeign} then ${column} * rate.app_units / rate.own_units else ${column} end`,
    isLost: `${isForeign} and rate.currency is null`,
  };
}

/** Joins facts with the rates of their currency and date as `rate`. */
export function rateJoin({ report, rates, bind }: Reading): string {
  if (rates.length === 0) return "";
  const columns = [
    `${bind(rates.map(({ currency }) => currency))}::text[]`,
    `${bind(rates.map(({ date }) => date))}::date[]`,
    `${bind(rates.map(({ appUnits }) => appUnits))}::numeric[]`,
    `${bind(rates.map(({ ownUnits }) => ownUnits))}::numeric[]`,
  ];
  // What is in the app's currency, or no amount at all, does not look for a rate.
  return `left join unnest(${columns.join(", ")}) as rate (currency, local_date, app_units, own_units)
    on rate.currency = nullif(fact.currency, ${bind(report.currency)}) and rate.local_date = fact.local_date`;
}
