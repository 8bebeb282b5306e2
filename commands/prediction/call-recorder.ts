import type { LogPosition } from "../../domain/event.ts";
import type { ContextCallEvent } from "../../domain/prediction/events.ts";
import { derivedUuid } from "../derived-ids.ts";
import type { Journals } from "../journals/journal.ts";
import { type Cause, eventMetadata } from "../metadata.ts";

/**
 * Records context calls (contract/prediction.md#recorded-calls): resolves with the event's position once it is on disk.
 * Calls during an append are written by the next one. Rejects as {@link Journals} do.
 */
export type CallRecorder = (event: ContextCallEvent, cause: Cause) => Promise<LogPosition>;

export function createCallRecorder(journals: Pick<Journals, "append">): CallRecorder {
  return async (event, cause) => {
    const { appId, requestId } = event.data;
    const journal = { category: "contextCalls", appId } as const;
    const id = derivedUuid(requestId, event.type === "ContextAnswered" ? "OK" : event.data.code);
    const { position } = await journals.append(journal, { id, ...event, metadata: eventMetadata(event.type, cause) });
    return position;
  };
}
