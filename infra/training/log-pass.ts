import { isUndecodable } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { EventLog } from "../event-log/event-log.ts";

/** Told how much of the log is behind, from 0 to 1. */
export type PassProgress = (share: number) => void;

const eventsBetweenProgress = 2_000;

/**
 * Goes once through the log, from its start to the head that it had when this was called, and hands out every event
 * whose data can be read. Reading, not subscribing: a store that is gone ends it instead of being waited for.
 */
export async function eachEvent(
  log: Pick<EventLog, "readAll" | "headPosition">,
  take: (event: RecordedEvent) => void,
  progress: PassProgress,
): Promise<void> {
  const head = await log.headPosition();
  if (head === null) return;
  let count = 0;
  for await (const event of log.readAll("start", Number.MAX_SAFE_INTEGER)) {
    if (event.position.commit > head.commit) break;
    if (!isUndecodable(event.data)) take(event);
    count += 1;
    if (count % eventsBetweenProgress === 0) progress(Number(event.position.commit) / Number(head.commit));
    if (event.position.commit === head.commit) break;
  }
  progress(1);
}
