import type { Request, RequestHandler, Response } from "express";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import type { AuthorisationDeps } from "./authorise.ts";
import type { KnownCaller } from "./handle-request.ts";
import { addressBudget } from "./rate-limiter.ts";
import type { Route } from "./route.ts";

const requestHeaders =
  "Accept-Language, Authorization, Content-Encoding, Content-Type, Idempotency-Key, Traceparent, Tracestate, " +
  "X-Min-Position, X-Request-Id";
const exposedHeaders = "Retry-After, X-Log-Position, X-Request-Id";
/** After this time browsers send a preflight request again. */
const maxAgeSeconds = 600;

type AppDeps = Pick<AuthorisationDeps, "appNames" | "findApp" | "rateLimiter">;

/**
 * Handles preflight requests of browsers for a route (contract/http.md#cross-origin-requests). Paths without an app
 * allow every origin: whether the page may read the response follows from the token. Preflight requests for unknown
 * apps count against the address (contract/limits.md#addresses).
 */
export function preflight(route: Route, methods: string, deps: AppDeps): RequestHandler {
  return async (request, response) => {
    const name = request.params.app_name;
    const app = typeof name === "string" ? await countedApp(name, request, deps) : null;
    const origin = request.headers.origin ?? "";
    response.vary("Origin");
    if (origin !== "" && (isAllowed(app, origin) || !route.path.includes(":app_name"))) {
      response.setHeader("Access-Control-Allow-Origin", origin);
      response.setHeader("Access-Control-Allow-Methods", methods);
      response.setHeader("Access-Control-Allow-Headers", requestHeaders);
      response.setHeader("Access-Control-Max-Age", maxAgeSeconds);
    }
    response.status(204).end();
  };
}

/**
 * Finds an app. Null as well when it is not in memory and the address has named too many unknown ones: another response
 * than that of a known app would tell which exist.
 */
async function countedApp(
  name: string,
  request: Request,
  { appNames, findApp, rateLimiter }: AppDeps,
): Promise<RegisteredApp | null> {
  if (appNames().includes(name)) return findApp(name);
  const budget = addressBudget(rateLimiter, "token", request);
  if (budget.take() !== null) return null;
  let isUnknown = false;
  try {
    const app = await findApp(name);
    isUnknown = app === null;
    return app;
  } finally {
    if (!isUnknown) budget.refund();
  }
}

/** Lets a page of one of the app's origins read the response; before the app is found, of the app of the token. */
export async function allowOrigin(
  request: Request,
  response: Response,
  { app, principal }: KnownCaller,
  { findAppById }: Pick<AuthorisationDeps, "findAppById">,
): Promise<void> {
  response.vary("Origin");
  const { origin } = request.headers;
  if (origin === undefined) return;
  const ofToken = async () => (principal?.kind === "token" ? findAppById(principal.appId).catch(() => null) : null);
  if (!isAllowed(app ?? (await ofToken()), origin)) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
}

function isAllowed(app: RegisteredApp | null, origin: string): boolean {
  return app?.allowedOrigins?.includes(origin) === true;
}
