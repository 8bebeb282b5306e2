import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { ContextCallEvent } from "../../domain/prediction/events.ts";
import { derivedUuid } from "../derived-ids.ts";
import { type Cause, eventMetadata } from "../event-metadata.ts";
import type { Journals } from "../journals/journal.ts";

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

const retryForMs = 60_000;
const initialBackoffMs = 100;
const maxBackoffMs = 5_000;
const maxRetried = 1_000;

/**
 * Returns a function that records calls which were already responded to. It retries up to 1,000 calls at a time, each for
 * a minute, and tries further ones once; resolves when the call is recorded or no longer tried.
 */
export function createLateRecorder(record: CallRecorder): (event: ContextCallEvent, cause: Cause) => Promise<void> {
  let retried = 0;
  return async (event, cause) => {
    const isRetried = retried < maxRetried;
    const deadline = performance.now() + (isRetried ? retryForMs : 0);
    if (isRetried) retried += 1;
    for (let failures = 1; ; failures += 1) {
      const isRecorded = await record(event, cause).then(
        () => true,
        () => false,
      );
      if (isRecorded || performance.now() >= deadline) break;
      await pause(backoffMs(failures, initialBackoffMs, maxBackoffMs), null, { ref: false });
    }
    if (isRetried) retried -= 1;
  };
}
