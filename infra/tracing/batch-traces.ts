import { TraceFlags } from "@opentelemetry/api";
import { type TraceContext, traceIds } from "../../domain/values/trace-context.ts";

/** Maximum links of the span of a batch to the traces of its events (docs/tracing.md). */
export const maxLinks = 128;

/**
 * The traces that the work on a batch belongs to: the distinct sampled ones, in their order; if none is sampled, the first
 * trace.
 */
export function tracesOfBatch(batch: Iterable<TraceContext | undefined>): readonly TraceContext[] {
  const distinct = new Map<string, TraceContext>();
  for (const trace of batch) {
    if (trace === undefined) continue;
    const { traceId } = traceIds(trace);
    if (!distinct.has(traceId)) distinct.set(traceId, trace);
  }
  const all = [...distinct.values()];
  const sampled = all.filter((trace) => (traceIds(trace).traceFlags & TraceFlags.SAMPLED) !== 0);
  return sampled.length > 0 ? sampled : all.slice(0, 1);
}
