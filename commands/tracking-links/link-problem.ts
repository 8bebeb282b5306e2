import type { Rejection } from "../../domain/decider.ts";
import type { TrackingLinkRejection } from "../../domain/tracking-links/tracking-link.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { problemOf } from "../problems.ts";

/** The problem of a rejected link. `fieldStatus`: of one with faults, which differs by route (contract/http.md#statuses). */
export function linkProblem(rejection: Rejection<TrackingLinkRejection>, fieldStatus: 404 | 422): Problem {
  const { rejected, faults = [] } = rejection;
  return rejected === "LINK_INVALID" ? validationFailed(faults, fieldStatus) : problemOf(rejection);
}
