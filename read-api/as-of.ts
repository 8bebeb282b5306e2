import { fault } from "../domain/fault.ts";
import { type Problem, problems, validationFailed } from "../infra/http/response/problem.ts";

/** The log position of a response. */
export type AsOf =
  | { readonly outcome: "at"; readonly position: bigint }
  /** It is in the future: a response as of then could change. */
  | { readonly outcome: "ahead" }
  /** The facts have not reached it yet. */
  | { readonly outcome: "behind" };

/**
 * Resolves `asOf` of a query: a log position, or an ISO instant, which stands for the last position up to which
 * everything was recorded by then (infra/event-log/as-of-positions.ts); null: the position that the facts have passed
 * now. Waits up to 2 s for the facts.
 */
export type PositionAsOf = (asOf: string | null) => Promise<AsOf>;

/** Query parameter `asOf`. */
export const asOfParameter = { type: "string", format: "position-or-instant" } as const;

/** Response header with the log position, where the body has no place for it. */
export const asOfHeader = "X-As-Of-Position";

/** The problem of a query parameter that is a position or an instant. */
export function asOfProblem({ outcome }: Exclude<AsOf, { readonly outcome: "at" }>, parameter = "asOf"): Problem {
  if (outcome === "behind") return problems.readModelBehind;
  return validationFailed([fault("out_of_range.ahead_of_log", ["query", parameter])]);
}
