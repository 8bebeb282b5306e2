import type { IncomingMessage, ServerResponse } from "node:http";
import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { readTraceContext, type TraceContext } from "../../domain/values/trace-context.ts";
import { inSpan, isTraced, SpanKind } from "./span.ts";

/** Traces of requests that have a span. */
const ofSpan = new WeakMap<IncomingMessage, TraceContext>();

/**
 * The trace context of a request, for the work that it causes: that of its span; without an OpenTelemetry SDK that of
 * its `traceparent` header (contract/http.md#traces). Undefined: none.
 */
export function traceOfRequest(request: IncomingMessage): TraceContext | undefined {
  return ofSpan.get(request) ?? readTraceContext(request.headers);
}

/**
 * Handles a request in a span. Its parent is the span that instrumentation of the HTTP server has made active,
 * otherwise the one that the SDK's propagators read from the headers.
 * @param route as declared, never the client's path
 */
export function inRequestSpan<Result>(
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isTraced()) return work();
  const { method = "" } = request;
  const isInner = trace.getActiveSpan() !== undefined;
  const settings = () => ({
    parent: isInner ? context.active() : propagation.extract(ROOT_CONTEXT, request.headers),
    kind: isInner ? SpanKind.INTERNAL : SpanKind.SERVER,
    attributes: { "http.request.method": method, "http.route": route },
    ended: () => ({
      attributes: {
        "http.response.status_code": response.statusCode,
        "touchledger.request_id": String(response.getHeader("X-Request-Id") ?? ""),
      },
      failed: response.statusCode >= 500,
    }),
  });
  return inSpan(`${method} ${route}`, undefined, settings, (handOn) => {
    if (handOn !== undefined) ofSpan.set(request, handOn);
    return work();
  });
}
