import type { Request, Response } from "express";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { mayDo, permissions } from "../../../domain/tokens/permissions.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { nearestName } from "../../../domain/values/nearest-name.ts";
import { within } from "../../process/time-limit.ts";
import { parameterValues } from "../request/url-text.ts";
import { type Problem, problems } from "../response/problem.ts";
import { addressBudget, limitCall, limitIngestBytes, type RateLimiter } from "./rate-limiter.ts";
import type { Route } from "./route.ts";

/** "missing" without a bearer token, "unknown" for an invalid one, "limited" when it was not admitted to be checked. */
export type Authentication = Principal | "unknown" | "missing" | "limited";

/** What authorisation needs from the rest of the application. */
export interface AuthorisationDeps {
  /**
   * The principal of an `Authorization` header. Rejects with `EventLogUnavailable` when the log cannot be read.
   * @param admit called first, unless the token is known to be valid; false: the result is "limited"
   */
  authenticate(authorization: string | undefined, admit: () => boolean): Promise<Authentication>;
  findApp(name: string): Promise<RegisteredApp | null>;
  findAppById(appId: number): Promise<RegisteredApp | null>;
  /** The names of all apps that are in memory. */
  appNames(): readonly string[];
  /**
   * Whether there is an `ADMIN_TOKEN`: without one, operator-only paths do not exist (contract/tokens.md#operators).
   */
  readonly operatorConfigured: boolean;
  /** Null: no limits. */
  readonly rateLimiter: RateLimiter | null;
}

export type Identification =
  | { readonly outcome: "known"; readonly principal: Principal }
  | { readonly outcome: "refused"; readonly problem: Problem };

export type Authorisation =
  | { readonly outcome: "authorised"; readonly principal: Principal; readonly app: RegisteredApp | null }
  | { readonly outcome: "refused"; readonly problem: Problem };

/** The first check (contract/http.md#statuses): 401; 429 for an address that has sent too many calls that end so. */
export async function identify(route: Route, request: Request, deps: AuthorisationDeps): Promise<Identification> {
  if (!deps.operatorConfigured && isOperatorOnly(route)) return refused(problems.notFound);
  const principal = await countedAuthentication(route, request, deps);
  if (typeof principal === "object" && "status" in principal) return refused(principal);
  if (route.apiKey === true) {
    const isCertified = typeof principal !== "string" && isCertifiedCall(principal, request);
    return isCertified ? { outcome: "known", principal } : refused(problems.notCertified);
  }
  if (principal === "missing") return refused(problems.unauthorized);
  if (principal === "unknown") {
    return refused(route.statuses?.unknownToken === 404 ? problems.appNotFound : problems.unauthorized);
  }
  return { outcome: "known", principal };
}

/** Authenticates within the budget of the client's address for calls without a valid token. */
async function countedAuthentication(
  route: Route,
  request: Request,
  { authenticate, rateLimiter }: AuthorisationDeps,
): Promise<Exclude<Authentication, "limited"> | Problem> {
  const budget = addressBudget(rateLimiter, "token", request);
  let tooMany: Problem | null = null;
  let isCounted = false;
  const admit = (): boolean => {
    tooMany = budget.take();
    isCounted = tooMany === null;
    return isCounted;
  };
  let isRefused = false;
  try {
    const principal = await whileIdentifying(route, authenticate(authorizationOf(route, request), admit));
    isRefused = typeof principal === "string";
    return principal === "limited" ? (tooMany ?? problems.addressLimited) : principal;
  } finally {
    if (isCounted && !isRefused) budget.refund();
  }
}

/**
 * The second check: the problem (429) of a call beyond its rate limit, else null. Sets the rate limit headers of
 * `response` (contract/limits.md#rate-limits).
 */
export function checkRateLimit(
  route: Route,
  principal: Principal,
  response: Response,
  deps: AuthorisationDeps,
): Problem | null {
  const { rateLimiter } = deps;
  return rateLimiter === null ? null : limitCall(rateLimiter, route.limit ?? "other", principal, response);
}

/** As {@link checkRateLimit}, for the bytes of a body of ingest, before they are parsed. */
export function checkByteLimit(
  route: Route,
  bytes: number,
  principal: Principal | null,
  { rateLimiter }: AuthorisationDeps,
): Problem | null {
  if (rateLimiter === null || principal?.kind !== "token" || route.limit !== "ingest") return null;
  return limitIngestBytes(rateLimiter, principal.tokenId, bytes);
}

/** As {@link checkRateLimit}, for a body that counts as several calls, once it has been read. */
export function checkManyLimit(
  route: Route,
  body: unknown,
  principal: Principal,
  response: Response,
  { rateLimiter }: AuthorisationDeps,
): Problem | null {
  // The body has passed the schema that types it.
  const many = route.countsAs?.(body as undefined);
  if (rateLimiter === null || many === undefined) return null;
  return limitCall(rateLimiter, route.limit ?? "other", principal, response, many);
}

/** The next checks: 403 for an operation that the caller lacks, 404 for an app that it may not see. */
export async function authorise(
  route: Route,
  principal: Principal,
  request: Request,
  deps: AuthorisationDeps,
): Promise<Authorisation> {
  if (!mayDo(principal, route.operation)) return refused(problems.forbidden);

  const ofToken = principal.kind === "token" ? principal.appId : null;
  const name = request.params.app_name;
  if (name === undefined && ofToken === null) return { outcome: "authorised", principal, app: null };
  const app = await whileIdentifying(
    route,
    typeof name === "string" ? deps.findApp(name) : deps.findAppById(ofToken ?? 0),
  );
  if (app === null || (ofToken !== null && app.appId !== ofToken)) {
    return refused(unknownApp(String(name), await whileIdentifying(route, visibleApps(principal, deps))));
  }
  return { outcome: "authorised", principal, app };
}

async function visibleApps(principal: Principal, deps: AuthorisationDeps): Promise<readonly string[]> {
  if (principal.kind === "operator") return deps.appNames();
  const app = principal.kind === "token" ? await deps.findAppById(principal.appId) : null;
  return app === null ? [] : [app.name];
}

/** Suggests the app that was probably meant, among those that the caller may see. */
function unknownApp(name: string, visible: readonly string[]): Problem {
  const nearest = nearestName(name, visible);
  const { appNotFound } = problems;
  return nearest === null
    ? appNotFound
    : { ...appNotFound, detail: { code: "APP_NOT_FOUND.nearest", params: { nearest } } };
}

/** Work within the time limit of the route for identifying its caller. */
function whileIdentifying<Result>({ identifyWithinMs }: Route, work: Promise<Result>): Promise<Result> {
  return identifyWithinMs === undefined ? work : within(identifyWithinMs, work);
}

/**
 * The header to check: `SERVICE-API-KEY` becomes `Bearer` (contract/tokens.md#authorization); a beacon without a header has its
 * parameter `token` instead.
 */
function authorizationOf(route: Route, { headers, url }: Request): string | undefined {
  if (route.beacon === true && headers.authorization === undefined) {
    const [token, ...others] = parameterValues(url, "token");
    return token === undefined || others.length > 0 ? undefined : `Bearer ${token}`;
  }
  return route.serviceApiKey === true
    ? headers.authorization?.replace(/^SERVICE-API-KEY(?= )/i, "Bearer")
    : headers.authorization;
}

/**
 * Whether a call is that of a certified channel (contract/tokens.md#permissions, contract/conversion-values.md#feeds): it
 * sends its key in the header and, exactly once, as the parameter `api_key`; its `response_format`, if sent, is the
 * channel's.
 */
function isCertifiedCall(principal: Principal, { headers, url }: Request): boolean {
  if (principal.kind !== "channel") return false;
  const [key, ...others] = parameterValues(url, "api_key");
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
  if (key === undefined || others.length > 0 || key !== bearer) return false;
  return parameterValues(url, "response_format").every((format) => format === principal.responseFormat);
}

function isOperatorOnly(route: Route): boolean {
  const callers: readonly string[] = permissions[route.operation];
  return callers.every((caller) => caller === "operator") && !route.path.includes(":app_name");
}

function refused(problem: Problem): { readonly outcome: "refused"; readonly problem: Problem } {
  return { outcome: "refused", problem };
}
