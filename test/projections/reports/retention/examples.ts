import { DateTime } from "luxon";
import type { RetentionQuery } from "../../../../domain/reporting/retention/query.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { runRetention } from "../../../../projections/reports/retention/run.ts";
import { install } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { openReportFacts, reportScope, type SomeFacts } from "../report-facts.ts";

const timezone = "Asia/Seoul";

/** What a device did at an instant; the date and hour are those of a zone. Its place in the log is `from`. */
export function happened(at: string, more: Partial<AppEvent> = {}, zone = timezone): AppEvent {
  const local = DateTime.fromISO(at, { zone });
  return { ...install, from: 1, at, date: local.toISODate() ?? "", hour: local.hour, ...more };
}

export const opened = (at: string, device: number, more: Partial<AppEvent> = {}): AppEvent =>
  happened(at, { category: "app_deeplink_open", device, ...more });
export const ordered = (at: string, device: number, more: Partial<AppEvent> = {}): AppEvent =>
  happened(at, { category: "app_order_complete", device, isFirstOfDevice: false, ...more });

/** Daily returns to the installs of March 1 to 4, as of noon of March 4, at position 9. */
export function retentionReport(
  query: Partial<RetentionQuery> = {},
  more: Partial<Omit<ReportAt<"retention">, "query">> = {},
): ReportAt<"retention"> {
  return {
    ...reportScope,
    now: new Date("2026-03-04T12:00:00+09:00"),
    ...more,
    query: {
      from: "2026-03-01",
      to: "2026-03-04",
      granularity: "day",
      startEvents: ["app_installs"],
      returnEvents: ["app_order_complete"],
      measurementOption: "general_retention",
      groupBys: [],
      filters: [],
      sorts: [],
      ...query,
    },
  };
}

export async function openRetentionFacts() {
  const facts = await openReportFacts(runRetention);
  return {
    ...facts,
    write: (appEvents: readonly AppEvent[], more: SomeFacts = {}) => facts.write({ ...more, appEvents }),
    answer: (appEvents: readonly AppEvent[], report: ReportAt<"retention">) => facts.answerOne({ appEvents }, report),
  };
}
