import { unknownKey } from "../../../domain/did-you-mean.ts";
import { type Fault, fault, publicCode } from "../../../domain/fault.ts";
import { firstOfEach, itemsByKey } from "../../../domain/items-by-key.ts";
import { permissions } from "../../../domain/tokens/permissions.ts";
import { type Problem, problems, validationFailed } from "../response/problem.ts";
import type { Route } from "../routing/route.ts";

/** The problems that a route can respond with, by status (contract/http.md#statuses). */
export function problemsOf(route: Route): ProblemsByStatus {
  return problemsByStatus([...derivedProblems(route), ...(route.docs.problems ?? [])]);
}

/** Problems by status, one of each code that clients see. */
export type ProblemsByStatus = ReadonlyMap<number, readonly Problem[]>;

export function problemsByStatus(documented: readonly Problem[]): ProblemsByStatus {
  const distinct = firstOfEach(documented, ({ status, code }) => `${status} ${publicCode(code)}`);
  const sorted = [...distinct].sort((one, other) => one.status - other.status);
  return itemsByKey(sorted, ({ status }) => status);
}

function derivedProblems(route: Route): readonly Problem[] {
  // Such a route has its own shape for every refusal.
  if (route.replyToRefused !== undefined) return [];
  return [
    problems.unauthorized,
    problems.rateLimited,
    ...(mayBeForbidden(route) ? [problems.forbidden] : []),
    ...(hasApp(route) ? [problems.appNotFound] : []),
    problems.badRequest,
    validationFailed(exampleFaults(route), route.statuses?.field),
    ...(route.reads === undefined ? [] : [validationFailed([]), problems.readModelBehind]),
    ...(route.idempotent === true ? [validationFailed([]), { status: 409, code: "IDEMPOTENCY_KEY_REUSED" }] : []),
    ...bodyProblems(route),
    problems.starting,
    problems.unavailable,
    problems.overloaded,
    problems.internalError,
  ];
}

/** A fault of a field that the route does not have, or of a parameter that it has. */
function exampleFaults({ body, query }: Route): readonly Fault[] {
  if (body !== undefined) return [unknownKey("unknown_field", ["body", "colour"], "colour")];
  const [parameter] = Object.keys(Object(query).properties ?? {});
  return parameter === undefined ? [] : [fault("invalid", ["query", parameter])];
}

function bodyProblems(route: Route): readonly Problem[] {
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
