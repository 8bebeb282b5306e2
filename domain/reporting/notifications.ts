import type { ReportFailureReason, ReportNotification } from "../report-tasks/events.ts";
import { addDays, type LocalDate } from "../values/local-time.ts";
import { reportLimits } from "./limits.ts";
import { type ChannelMonth, maskingLimits } from "./masking.ts";

/** A currency without a rate, and the local dates of the amounts that were left out, in order. */
export interface MissingRate {
  readonly currency: string;
  readonly dates: readonly LocalDate[];
}

/** The notification of each reason why a report failed (contract/reports.md#notifications). */
export const failureNotifications: Readonly<Record<ReportFailureReason, ReportNotification>> = {
  too_slow: { code: "REPORT_TOO_SLOW", type: "WARNING" },
  too_large: {
    code: "EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.one_group",
    type: "WARNING",
    params: { rows: reportLimits.subRows, cells: reportLimits.cells },
  },
  facts_behind: { code: "REPORT_FACTS_BEHIND", type: "WARNING" },
  internal_error: { code: "REPORT_INTERNAL_ERROR", type: "WARNING" },
};

/** The caller is a media partner: data of other channels were left out (contract/reports.md#notifications). */
export const filteredByChannel: ReportNotification = {
  code: "MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL",
  type: "INFO",
};

/** Maximum withheld channel-months that a notification lists. */
const maxListedMonths = 20;

/**
 * Months of self-attributing channels are withheld (contract/reports.md#masking): which, and how that can change.
 * @param months those with masked facts
 */
export function withheldMonths(months: readonly Pick<ChannelMonth, "channel" | "month">[]): ReportNotification {
  const { impressions, installs } = maskingLimits;
  const listed = months.slice(0, maxListedMonths).map(({ channel, month }) => `${channel} ${month}`);
  const others = months.length - listed.length;
  const params = { impressions, installs, months: listed, others };
  return { code: "AGG_DATA_MASKING_BY_PARTNER", type: "WARNING", params };
}

/** Data of self-attributing networks are too old (contract/reports.md#masking). */
export const tooOld: ReportNotification = {
  code: "SAN_PERIOD_LIMIT",
  type: "WARNING",
  params: { days: maskingLimits.days },
};

/** There are more rows than a result may have (contract/reports.md#rows). */
export const exceededRowLimit: ReportNotification = {
  code: "EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.rows",
  type: "WARNING",
  params: { rows: reportLimits.rows },
};

/**
 * A report whose rows are groups exceeded its limits: whole groups at its end were left out (contract/reports.md#rows).
 */
export const exceededGroupLimits: ReportNotification = {
  code: "EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.groups",
  type: "WARNING",
  params: { groups: reportLimits.rows, rows: reportLimits.subRows, cells: reportLimits.cells },
};

/** Amounts in other currencies lack an exchange rate (contract/money.md#conversion). `missing` must not be empty. */
export function exchangeRateMissing(missing: readonly MissingRate[]): ReportNotification {
  const rates = missing.map(({ currency, dates }) => `${currency} (${runsOf(dates).join(", ")})`).join("; ");
  return { code: "EXCHANGE_RATE_MISSING", type: "WARNING", params: { rates } };
}

/** Dates in order, consecutive ones as `first – last`. */
function runsOf(dates: readonly LocalDate[]): readonly string[] {
  const runs: { first: LocalDate; last: LocalDate }[] = [];
  for (const date of dates) {
    const run = runs.at(-1);
    if (run !== undefined && addDays(run.last, 1) === date) run.last = date;
    else runs.push({ first: date, last: date });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first} – ${last}`));
}
