import type { RequestHandler } from "express";
import { collectDefaultMetrics, Histogram, type Registry } from "prom-client";

/** Fast redirects and ingest at one end, waits of 2 s at the other. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Tells of an answer: the route's path as declared, never the caller's. */
export type ObserveAnswer = (path: string, method: string, status: number, seconds: number) => void;

/** Event loop lag, heap, garbage collection and the like of this process, into `registry`. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

/** `http_request_duration_seconds` by route, method and status, into `registry`. */
export function measureAnswers(registry: Registry): ObserveAnswer {
  const histogram = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request's headers to its answer, by route as declared, method and status.",
    labelNames: ["route", "method", "status"],
    buckets,
    registers: [registry],
  });
  return (path, method, status, seconds) => histogram.observe({ route: path, method, status }, seconds);
}

/**
 * A handler that answers everything it is given by itself, each of its answers told to `answered` as one of `path`. A
 * caller who is gone is given none.
 */
export function observed(handler: RequestHandler, path: string, answered: ObserveAnswer): RequestHandler {
  return async (request, response, next) => {
    const startedAt = performance.now();
    try {
      await handler(request, response, next);
    } catch (failure) {
      next(failure);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    if (response.headersSent) answered(path, request.method, response.statusCode, seconds);
  };
}
