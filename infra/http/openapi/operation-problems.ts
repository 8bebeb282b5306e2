import { publicCode } from "../../../domain/fault.ts";
import { permissions } from "../../../domain/tokens/permissions.ts";
import { type Problem, problems, validationFailed } from "../response/problem.ts";
import type { Route } from "../routing/route.ts";

/** The codes of the problems that a route can respond with, by status (contract/http.md#statuses). */
export function problemCodes(route: Route): ReadonlyMap<number, readonly string[]> {
  return codesByStatus([...derivedProblems(route), ...(route.docs.problems ?? [])]);
}

/** The codes of problems, by status. */
export function codesByStatus(documented: readonly Documented[]): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, Set<string>>();
  for (const { status, code } of documented) {
    const ofStatus = codes.get(status) ?? new Set();
    codes.set(status, ofStatus.add(publicCode(code)));
  }
  return new Map([...codes].sort(([one], [other]) => one - other).map(([status, ofStatus]) => [status, [...ofStatus]]));
}

type Documented = Pick<Problem, "status" | "code">;

function derivedProblems(route: Route): readonly Documented[] {
  // Such a route has its own shape for every refusal.
  if (route.replyToRefused !== undefined) return [];
  return [
    problems.unauthorized,
    problems.rateLimited,
    ...(mayBeForbidden(route) ? [problems.forbidden] : []),
    ...(hasApp(route) ? [problems.appNotFound] : []),
    problems.badRequest,
    validationFailed([], route.statuses?.field),
    ...(route.reads === undefined ? [] : [validationFailed([]), problems.readModelBehind]),
    ...(route.idempotent === true ? [validationFailed([]), { status: 409, code: "IDEMPOTENCY_KEY_REUSED" }] : []),
    ...bodyProblems(route),
    problems.starting,
    problems.unavailable,
    problems.overloaded,
    problems.internalError,
  ];
}

function bodyProblems(route: Route): readonly Documented[] {
  const isForm = route.file !== undefined || route.files !== undefined;
  if (route.body === undefined && !isForm) return [];
  const parsing = isForm
    ? [problems.notMultipart, problems.invalidMultipart]
    : [{ ...problems.invalidJson, status: route.statuses?.json ?? 400 }];
  const inflating = route.gzip === true ? [problems.invalidGzip] : [];
  return [...parsing, ...inflating, problems.payloadTooLarge, problems.unsupportedMediaType];
}

/** Whether a route may respond with 403. A caller without the key of a certified channel gets 401. */
function mayBeForbidden(route: Route): boolean {
  return route.apiKey !== true;
}

/** Whether a call of the route is about an app: that of the path, or of the token. */
function hasApp({ path, operation }: Route): boolean {
  const callers: readonly string[] = permissions[operation];
  return path.includes(":app_name") || callers.some((caller) => caller !== "operator" && caller !== "channel");
}
