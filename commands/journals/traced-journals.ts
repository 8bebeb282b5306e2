import { readTraceContext } from "../../domain/values/trace-context.ts";
import { inSpan } from "../../infra/tracing/span.ts";
import type { Journals } from "./journal.ts";

/**
 * Journals whose calls are spans, each in the trace of its request: the wait for the batch that has its events, and that
 * batch's append, which is a span of its own.
 */
export function tracedJournals<Place>(journals: Journals<Place>): Journals<Place> {
  const appendMany: Journals<Place>["appendMany"] = (journal, events) => {
    const settings = () => ({
      batch: events.slice(0, 1).map(({ metadata }) => readTraceContext(metadata)),
      attributes: { "touchledger.app_id": journal.appId, "touchledger.events": events.length },
    });
    return inSpan(`journal ${journal.category}`, undefined, settings, () => journals.appendMany(journal, events));
  };
  return { ...journals, append: (journal, event) => appendMany(journal, [event]), appendMany };
}
