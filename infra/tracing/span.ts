import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { readTraceContext, type TraceContext, traceIds } from "../../domain/values/trace-context.ts";
import { version } from "../process/version.ts";
import { maxLinks, tracesOfBatch } from "./batch-traces.ts";

export { type Attributes, SpanKind } from "@opentelemetry/api";

/** A trace context, or none, as the traces of a batch are given. */
export type MaybeTrace = TraceContext | undefined;

interface SpanSettings {
  readonly kind?: SpanKind;
  /**
   * The traces of a batch, used instead of `from`. If a single one is sampled, the span is part of it; if several are,
   * the span begins a trace of its own with links to them, at most 128.
   */
  readonly batch?: Iterable<MaybeTrace>;
  /** The parent as the SDK has read it, used instead of `from` and `batch`. */
  readonly parent?: Context;
  /** Attributes at the start. */
  readonly attributes?: Attributes;
  /** Called when the work has resolved: further attributes, and whether it has failed. */
  ended?(): { readonly attributes: Attributes; readonly failed: boolean };
}

let known: Tracer | null = null;

/** The tracer of an OpenTelemetry SDK; null while none is registered, so that spans cost nothing. */
function registeredTracer(): Tracer | null {
  if (known !== null) return known;
  const provider = trace.getTracerProvider();
  const found =
    provider instanceof ProxyTracerProvider
      ? provider.getDelegateTracer("touchledger", version)
      : provider.getTracer("touchledger", version);
  known = found ?? null;
  return known;
}

/** Whether an OpenTelemetry SDK is registered. */
export function isTraced(): boolean {
  return registeredTracer() !== null;
}

/**
 * Runs `work` in a span, and returns its result. `work` gets the trace context to propagate: that of the span, or
 * `from` without an OpenTelemetry SDK. A failure is recorded and rethrown.
 * @param from the trace that the work follows from; an active span of this process in the same trace is the parent
 * @param settings called only with an SDK
 */
export function inSpan<Result>(
  name: string,
  from: MaybeTrace,
  settings: () => SpanSettings,
  work: (handOn: MaybeTrace) => Promise<Result>,
): Promise<Result> {
  const tracer = registeredTracer();
  return tracer === null ? work(from) : record(tracer, name, from, settings(), work);
}

/** Runs `work` for a batch of recorded events in a span. `tracesOf` is called only with an SDK. */
export function inBatchSpan<Result>(
  name: string,
  tracesOf: () => Iterable<MaybeTrace>,
  work: () => Promise<Result>,
  attributes: Attributes = {},
): Promise<Result> {
  return inSpan(name, undefined, () => ({ kind: SpanKind.CONSUMER, batch: tracesOf(), attributes }), work);
}

async function record<Result>(
  tracer: Tracer,
  name: string,
  from: MaybeTrace,
  settings: SpanSettings,
  work: (handOn: MaybeTrace) => Promise<Result>,
): Promise<Result> {
  const { kind = SpanKind.INTERNAL, attributes = {}, ended } = settings;
  const traces = settings.batch === undefined ? [from] : tracesOfBatch(settings.batch);
  const isBatch = traces.length > 1;
  const parent = settings.parent ?? (isBatch ? ROOT_CONTEXT : parentOf(traces[0]));
  const links = isBatch
    ? traces
        .slice(0, maxLinks)
        .flatMap((traceContext) => (traceContext ? [{ context: spanContextOf(traceContext) }] : []))
    : [];
  const span = tracer.startSpan(name, { kind, attributes, links }, parent);
  try {
    const handOn = readTraceContext(headersOf(span.spanContext())) ?? from;
    const result = await context.with(trace.setSpan(parent, span), () => work(handOn));
    const end = ended?.();
    if (end !== undefined) span.setAttributes(end.attributes);
    if (end?.failed === true) span.setStatus({ code: SpanStatusCode.ERROR });
    return result;
  } catch (failure) {
    span.recordException(failure instanceof Error ? failure : String(failure));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw failure;
  } finally {
    span.end();
  }
}

function parentOf(from: MaybeTrace): Context {
  const active = context.active();
  if (from === undefined || trace.getSpanContext(active)?.traceId === traceIds(from).traceId) return active;
  return trace.setSpanContext(active, spanContextOf(from));
}

function spanContextOf(traceContext: TraceContext): SpanContext {
  const { tracestate } = traceContext;
  return {
    ...traceIds(traceContext),
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
}

function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext) {
  const flags = traceFlags.toString(16).padStart(2, "0");
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() };
}
