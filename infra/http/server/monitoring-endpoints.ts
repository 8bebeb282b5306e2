import type { Express } from "express";
import type { Registry } from "prom-client";
import { writeJson } from "../response/write-response.ts";

/** The state of one thing that must work for this process to serve. */
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
}

/** `/livez`, `/readyz` (503 when not ready), `/version` and `/metrics` (contract/http.md#operations), without a token. */
export function mountMonitoring(app: Express, { readiness, version, registry }: MonitoringDeps): void {
  app.get("/livez", (_request, response) => writeJson(response, 200, { status: "alive" }));
  app.get("/readyz", (_request, response) => {
    const { ready, checks } = readiness();
    writeJson(response, ready ? 200 : 503, { status: ready ? "ready" : "not ready", checks });
  });
  app.get("/version", (_request, response) => writeJson(response, 200, version));
  app.get("/metrics", async (_request, response) => {
    const text = await registry.metrics();
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Type", registry.contentType);
    response.end(text);
  });
}
