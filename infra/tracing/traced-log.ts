import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { readTraceContext } from "../../domain/values/trace-context.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { inBatchSpan, inSpan, SpanKind } from "./span.ts";

/** A log whose appends are spans, in the traces in the metadata of their events. */
export function tracedLog(log: EventLog): EventLog {
  return {
    ...log,
    append: (stream, expected, events) => {
      const settings = () => ({
        kind: SpanKind.PRODUCER,
        batch: events.map(({ metadata }) => readTraceContext(metadata)),
        attributes: { "touchledger.stream": stream, "touchledger.events": events.length },
      });
      const [category] = stream.split("-", 1);
      return inSpan(`append ${category}`, undefined, settings, () => log.append(stream, expected, events));
    },
  };
}

/** Applies a batch of events to a group of read models in a span. */
export function tracedBatch<Result>(
  group: string,
  batch: readonly Pick<RecordedEvent, "metadata">[],
  apply: () => Promise<Result>,
): Promise<Result> {
  const traces = () => batch.map(({ metadata }) => readTraceContext(metadata));
  return inBatchSpan(`project ${group}`, traces, apply, { "touchledger.events": batch.length });
}
