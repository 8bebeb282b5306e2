import type { LinkFault } from "../../domain/tracking-links/link-request.ts";
import { type Problem, problems, titleOf } from "../../infra/http/response/problem.ts";

/**
 * What a link's bad fields are answered with, under the status that their endpoint has for them
 * (contract/http.md#statuses).
 */
export function linkInvalid(faults: readonly LinkFault[], status: 404 | 422): Problem {
  return {
    ...problems.validationFailed,
    status,
    title: titleOf[status] ?? problems.validationFailed.title,
    errors: faults.map(({ field, msg, type }) => ({ loc: ["body", ...field], msg, type })),
  };
}
