import type { ReportFailureReason, ReportNotification } from "./events.ts";

/**
 * The user-facing message of each failure reason, with what to do about it (contract/reports.md#notifications).
 */
export const failureNotifications: Readonly<Record<ReportFailureReason, ReportNotification>> = {
  too_slow: {
    code: "REPORT_TOO_SLOW",
    type: "WARNING",
    message: "The report took too long. Ask for fewer days, fewer group-bys or fewer metrics, or add a filter.",
  },
  too_large: {
    code: "REPORT_TOO_LARGE",
    type: "WARNING",
    message: "One group of the report has more than 10,000 rows. Ask for fewer days, or for a coarser granularity.",
  },
  facts_behind: {
    code: "REPORT_FACTS_BEHIND",
    type: "WARNING",
    message: "What the report rests on was not ready within 60 seconds. Ask for it again in a few minutes.",
  },
  internal_error: {
    code: "REPORT_INTERNAL_ERROR",
    type: "WARNING",
    message: "The report failed for a reason that is not yours. Ask for it again.",
  },
};
