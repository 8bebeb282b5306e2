import { fault } from "../domain/fault.ts";
import { type Problem, problems, validationFailed } from "../infra/http/response/problem.ts";

/** The log position that an answer is as of. */
export type AsOf =
  | { readonly outcome: "at"; readonly position: bigint }
  /** It names what has not happened yet: no answer as of then would stay the same. */
  | { readonly outcome: "ahead" }
  /** The facts do not reach there yet. */
  | { readonly outcome: "behind" };

/**
 * What an `asOf` of a query means: a log position, or an ISO instant, which is the last position of which everything
 * up to it was recorded by then; null is what the facts have passed now. Waits up to 2 s for the facts to pass it.
 */
export type PositionAsOf = (asOf: string | null) => Promise<AsOf>;

/** Query parameter `asOf`. */
export const asOfParameter = { type: "string", format: "position-or-instant" } as const;

/** The header that says which log position an answer is as of, where its body cannot. */
export const asOfHeader = "X-As-Of-Position";

/** What is wrong with the query parameter that names a position or an instant. */
export function asOfProblem({ outcome }: Exclude<AsOf, { readonly outcome: "at" }>, parameter = "asOf"): Problem {
  if (outcome === "behind") return problems.readModelBehind;
  return validationFailed([fault("out_of_range.ahead_of_log", ["query", parameter])]);
}
