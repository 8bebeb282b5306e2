import type { ReportNotification } from "../../../domain/report-tasks/events.ts";
import type { Language } from "../../../domain/values/language.ts";
import type { Problem } from "../response/problem.ts";
import { translate } from "./translate.ts";

/** A problem in its caller's language: title, detail and what is said of each field (contract/http.md#languages). */
export function translatedProblem(problem: Problem, language: Language): Problem {
  if (language === "en") return problem;
  const { title, detail, errors } = problem;
  return {
    ...problem,
    title: translate(title, language),
    detail: translate(detail, language),
    ...(errors === undefined
      ? {}
      : { errors: errors.map((fault) => ({ ...fault, msg: translate(fault.msg, language) })) }),
  };
}

/**
 * The notifications of a report, which the log holds in English, in the language of whoever reads it
 * (contract/http.md#languages).
 */
export function translatedNotifications(
  notifications: readonly ReportNotification[],
  language: Language,
): readonly ReportNotification[] {
  return notifications.map((notification) => ({ ...notification, message: translate(notification.message, language) }));
}
