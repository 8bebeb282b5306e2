import type { Request, Response } from "express";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { mayDo, permissions } from "../../../domain/tokens/permissions.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { within } from "../request/time-limit.ts";
import { type Problem, problems } from "../response/problem.ts";
import { isCertifiedCall } from "./api-key.ts";
import { limitCall, type RateLimiter } from "./rate-limits.ts";
import type { Route } from "./route.ts";

/** What authorisation needs from the rest of the application. */
export interface AuthorisationDeps {
  /**
   * Who an `Authorization` header speaks for. Rejects with `EventLogUnavailable` when that cannot be known now.
   */
  authenticate(authorization: string | undefined): Promise<Principal | "unknown" | "missing">;
  findApp(name: string): Promise<RegisteredApp | null>;
  findAppById(appId: number): Promise<RegisteredApp | null>;
  /**
   * Whether there is an `ADMIN_TOKEN`: without one, operator-only paths do not exist (contract/tokens.md#operators).
   */
  readonly operatorConfigured: boolean;
  /** Null, like none: nothing is limited. */
  readonly rateLimiter?: RateLimiter | null;
}

export type Identification =
  | { readonly outcome: "known"; readonly principal: Principal }
  | { readonly outcome: "refused"; readonly problem: Problem };

export type Authorisation =
  | { readonly outcome: "authorised"; readonly principal: Principal; readonly app: RegisteredApp | null }
  | { readonly outcome: "refused"; readonly problem: Problem };

/** The first check (contract/http.md#statuses): 401, who is it. */
export async function identify(route: Route, request: Request, deps: AuthorisationDeps): Promise<Identification> {
  if (!deps.operatorConfigured && isOperatorOnly(route)) return refused(problems.notFound);
  const principal = await inTime(route, deps.authenticate(authorizationOf(route, request)));
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

/**
 * The second step: 429, do they ask too often; null: they do not. How often they may still ask is written to `response`
 * (contract/limits.md#rate-limits).
 */
export function limit(route: Route, principal: Principal, response: Response, deps: AuthorisationDeps): Problem | null {
  const { rateLimiter = null } = deps;
  return rateLimiter === null ? null : limitCall(rateLimiter, route.limit ?? "other", principal, response);
}

/** The second step completed once a body is read that counts as many calls; null: it may go on. */
export function limitMany(
  route: Route,
  body: unknown,
  principal: Principal,
  response: Response,
  { rateLimiter = null }: AuthorisationDeps,
): Problem | null {
  // The body has passed the schema that types it.
  const many = route.countsAs?.(body as undefined);
  if (rateLimiter === null || many === undefined) return null;
  return limitCall(rateLimiter, route.limit ?? "other", principal, response, many);
}

/** The next steps: 403 may they do this, 404 may they see this app. */
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
  const app = await inTime(route, typeof name === "string" ? deps.findApp(name) : deps.findAppById(ofToken ?? 0));
  if (app === null || (ofToken !== null && app.appId !== ofToken)) return refused(problems.appNotFound);
  return { outcome: "authorised", principal, app };
}

function inTime<Result>({ identifyWithinMs }: Route, work: Promise<Result>): Promise<Result> {
  return identifyWithinMs === undefined ? work : within(identifyWithinMs, work);
}

/** The header, in the `Bearer` scheme that all other code reads (contract/tokens.md#authorization). */
function authorizationOf(route: Route, { headers }: Request): string | undefined {
  return route.serviceApiKey === true
    ? headers.authorization?.replace(/^SERVICE-API-KEY(?= )/i, "Bearer")
    : headers.authorization;
}

function isOperatorOnly(route: Route): boolean {
  const callers: readonly string[] = permissions[route.operation];
  return callers.every((caller) => caller === "operator") && !route.path.includes(":app_name");
}

function refused(problem: Problem): { readonly outcome: "refused"; readonly problem: Problem } {
  return { outcome: "refused", problem };
}
