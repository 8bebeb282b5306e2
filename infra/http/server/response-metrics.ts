import type { RequestHandler } from "express";
import { collectDefaultMetrics, Histogram, type Registry } from "prom-client";
import { inRequestSpan } from "../../tracing/request-span.ts";

/** From fast redirects and ingest to waits of 2 s. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Records a response. `path` is the route's as declared, never the client's. */
export type ObserveResponse = (path: string, method: string, status: number, seconds: number) => void;

/** Registers metrics of this process: event loop lag, heap, garbage collection and others. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

/** Registers `http_request_duration_seconds` by route, method and status. */
export function measureResponses(registry: Registry): ObserveResponse {
  const histogram = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request's headers to its response, by route as declared, method and status.",
    labelNames: ["route", "method", "status"],
    buckets,
    registers: [registry],
  });
  return (path, method, status, seconds) => histogram.observe({ route: path, method, status }, seconds);
}

/** A handler whose requests are spans, and whose responses are reported to `observeResponse`, both under `path`. */
export function observed(handler: RequestHandler, path: string, observeResponse: ObserveResponse): RequestHandler {
  return async (request, response, next) => {
    const startedAt = performance.now();
    try {
      await inRequestSpan(request, response, path, async () => handler(request, response, next));
    } catch (failure) {
      next(failure);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    if (response.headersSent) observeResponse(path, request.method, response.statusCode, seconds);
  };
}
