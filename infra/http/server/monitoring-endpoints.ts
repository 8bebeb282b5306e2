import type { IncomingMessage } from "node:http";
import type { Express, Request } from "express";
import type { Registry } from "prom-client";
import { endWith, writeJson, writeProblem } from "../response/write-response.ts";
import { addressBudget, type RateLimiter } from "../routing/rate-limiter.ts";
import { getOnly } from "./get-only.ts";
import { type Listener, servesOperations, servesPublic } from "./listeners.ts";

/** The state of a dependency that this process needs to serve. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** What is wrong, or how far it lags; no secrets. */
  readonly detail?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: { readonly [name: string]: ReadinessCheck };
}

export interface MonitoringDeps {
  readiness(): Readiness;
  readonly version: { readonly [name: string]: string };
  readonly registry: Registry;
  /** Limits the readings of an address; null: no limit. */
  readonly rateLimiter: RateLimiter | null;
}

/** Whether a request is for one of the paths that {@link mountMonitoring} serves on a listener. */
export function isMonitoring({ url = "" }: Pick<IncomingMessage, "url">, listener: Listener): boolean {
  const path = url.split("?", 1)[0];
  const isHealth = path === "/livez" || path === "/readyz";
  const isMetrics = path === "/metrics" || path === "/version";
  return (isHealth && servesPublic(listener)) || (isMetrics && servesOperations(listener));
}

/** `/livez`, `/readyz` (503 when not ready), `/version` and `/metrics` (contract/http.md#operations), without a token. */
export function mountMonitoring(app: Express, deps: MonitoringDeps, listener: Listener = "only"): void {
  if (servesPublic(listener)) mountHealth(app, deps);
  if (servesOperations(listener)) mountMetrics(app, deps);
}

function mountHealth(app: Express, { readiness }: MonitoringDeps): void {
  getOnly(app, "/livez", (_request, response) => writeJson(response, 200, { status: "alive" }));
  getOnly(app, "/readyz", (_request, response) => {
    const { ready, checks } = readiness();
    writeJson(response, ready ? 200 : 503, { status: ready ? "ready" : "not ready", checks });
  });
}

function mountMetrics(app: Express, { version, registry, rateLimiter }: MonitoringDeps): void {
  getOnly(app, "/version", (_request, response) => writeJson(response, 200, version));
  getOnly(app, "/metrics", async (request: Request, response) => {
    const problem = addressBudget(rateLimiter, "metrics", request).take();
    if (problem !== null) {
      writeProblem(request, response, problem);
      return;
    }
    const text = await registry.metrics();
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Type", registry.contentType);
    endWith(response, text);
  });
}
