import type { IncomingMessage, ServerResponse } from "node:http";
import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { readTraceContext, type TraceContext } from "../../domain/values/trace-context.ts";
import { requestIdHeader } from "../http/response/request-id.ts";
import { inSpan, isTraced, SpanKind } from "./span.ts";

/** Traces of requests that have a span. */
const ofSpan = new WeakMap<IncomingMessage, TraceContext>();
/** Request ids of responses from which `getHeader` cannot read them. */
const requestIds = new WeakMap<ServerResponse, string>();

/**
 * The trace context of a request, for the work that it causes: that of its span; without an OpenTelemetry SDK that of
 * its `traceparent` header (contract/http.md#traces). Undefined: none.
 */
export function traceOfRequest(request: IncomingMessage): TraceContext | undefined {
  return ofSpan.get(request) ?? readTraceContext(request.headers);
}

/** Notes the request id of a response whose headers are written at once, for its span. */
export function noteRequestId(response: ServerResponse, requestId: string): void {
  if (isTraced()) requestIds.set(response, requestId);
}

/**
 * Handles a request in a span. Its parent is the one that the SDK's propagators read from the headers, or the active span
 * if that continues it, as instrumentation of the HTTP server does.
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
  const sent = propagation.extract(ROOT_CONTEXT, request.headers);
  const active = trace.getActiveSpan()?.spanContext().traceId;
  const isInner = active !== undefined && (trace.getSpanContext(sent)?.traceId ?? active) === active;
  const settings = () => ({
    parent: isInner ? context.active() : sent,
    kind: isInner ? SpanKind.INTERNAL : SpanKind.SERVER,
    attributes: { "http.request.method": method, "http.route": route },
    ended: () => ({
      attributes: {
        "http.response.status_code": response.statusCode,
        "touchledger.request_id": requestIds.get(response) ?? String(response.getHeader(requestIdHeader) ?? ""),
      },
      failed: response.statusCode >= 500,
    }),
  });
  return inSpan(`${method} ${route}`, undefined, settings, (handOn) => {
    if (handOn !== undefined) ofSpan.set(request, handOn);
    return work();
  });
}
