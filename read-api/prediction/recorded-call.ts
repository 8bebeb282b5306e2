import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ContextCallEvent } from "../../domain/prediction/events.ts";
import type { StoredCall } from "../../projections/prediction/queries.ts";

export interface RecordedCallDeps {
  /** Where the read models say that the log has a call; null: they know of none. */
  storedCall(appId: number, requestId: string): Promise<StoredCall | null>;
  /** Resolves once the read models have passed everything that is in the log now; rejects when that takes too long. */
  untilProjected(): Promise<void>;
  read(stream: StoredCall["stream"], fromRevision: bigint): AsyncIterable<RecordedEvent<ContextCallEvent>>;
}

/** A context call as it was recorded, also when that was a moment ago; null when the app has none of that request id. */
export async function recordedCall(
  appId: number,
  requestId: string,
  { storedCall, untilProjected, read }: RecordedCallDeps,
): Promise<RecordedEvent<ContextCallEvent> | null> {
  let stored = await storedCall(appId, requestId);
  if (stored === null) {
    await untilProjected();
    stored = await storedCall(appId, requestId);
  }
  if (stored === null) return null;
  for await (const event of read(stored.stream, stored.revision)) return event;
  throw new Error(`A call is stored at ${stored.revision} of ${stored.stream}, and the log has nothing there`);
}
