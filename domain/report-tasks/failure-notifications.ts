import type { ReportFailureReason, ReportNotification } from "./events.ts";

/** The notification of each reason why a report failed (contract/reports.md#notifications). */
export const failureNotifications: Readonly<Record<ReportFailureReason, ReportNotification>> = {
  too_slow: { code: "REPORT_TOO_SLOW", type: "WARNING" },
  too_large: { code: "REPORT_TOO_LARGE", type: "WARNING" },
  facts_behind: { code: "REPORT_FACTS_BEHIND", type: "WARNING" },
  internal_error: { code: "REPORT_INTERNAL_ERROR", type: "WARNING" },
};
