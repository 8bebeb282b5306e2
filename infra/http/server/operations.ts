import type { Express } from "express";
import type { Registry } from "prom-client";
import { writeJson } from "../response/write-response.ts";

/** One thing that must work for this process to serve, in a word or two. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** What is wrong or how far it is behind, safe to show. */
  readonly detail?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: { readonly [name: string]: ReadinessCheck };
}

export interface OperationsDeps {
  readiness(): Readiness;
  readonly version: { readonly [name: string]: string };
  readonly registry: Registry;
}

/**
 * `/livez`, `/readyz` (503 when not), `/version` and `/metrics` (contract/http.md#operations), for whoever runs the
 * server: no token.
 */
export function mountOperations(app: Express, { readiness, version, registry }: OperationsDeps): void {
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
