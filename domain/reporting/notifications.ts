import { addDays, type LocalDate } from "../local-time.ts";
import type { ReportNotification } from "../report-tasks/events.ts";
import { actualsLimits } from "./catalogue.ts";

/** A currency without a rate, and the local dates of the amounts that were left out, in order. */
export interface MissingRate {
  readonly currency: string;
  readonly dates: readonly LocalDate[];
}

/** The caller is a media partner: data of other channels were left out (A: Notification codes). */
export const filteredByChannel: ReportNotification = {
  code: "MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL",
  type: "INFO",
  message: "Data of channels that this token may not see were left out.",
};

/** There are more rows than a result holds (D7.6). */
export const exceededRowLimit: ReportNotification = {
  code: "EXCEEDED_LIMIT_ON_MAX_ROW_COUNT",
  type: "WARNING",
  message:
    `The result has more than ${actualsLimits.rows.toLocaleString("en-US")} rows: ` +
    "these are the first by the sort. A raw data export holds them all.",
};

/** Amounts in other currencies that no exchange rate covers (D12). `missing` must not be empty. */
export function exchangeRateMissing(missing: readonly MissingRate[]): ReportNotification {
  const listed = missing.map(({ currency, dates }) => `${currency} (${runsOf(dates).join(", ")})`).join("; ");
  return {
    code: "EXCHANGE_RATE_MISSING",
    type: "WARNING",
    message: `Amounts were left out because there is no exchange rate for them: ${listed}.`,
  };
}

/** Dates in order, days that follow each other as `first to last`. */
function runsOf(dates: readonly LocalDate[]): readonly string[] {
  const runs: { first: LocalDate; last: LocalDate }[] = [];
  for (const date of dates) {
    const run = runs.at(-1);
    if (run !== undefined && addDays(run.last, 1) === date) run.last = date;
    else runs.push({ first: date, last: date });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
}
