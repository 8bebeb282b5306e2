import type { LogPosition } from "../../domain/event.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import type { Journals } from "../journals/journal.ts";

/** Longer than this no visitor waits for a disk that does not answer, in milliseconds. */
const patience = 2_000;

/** Writes what visitors do; resolves with the position, or with null when the log does not have it yet. */
export type RecordTouchpoint = (appId: number, event: EventToAppend<TouchpointEvent>) => Promise<LogPosition | null>;

/**
 * The one place that decides what becomes of a visit that the log does not take
 * (contract/tracking-links.md#durability). Visits have journals of their own, which spool (`journal-spool.ts`); what
 * machines send has a caller who repeats it and is refused instead. What not even the spool takes is told to
 * `onClickLost`, and the visitor is answered all the same.
 */
export function touchpointRecorder(
  journals: Pick<Journals<LogPosition | null>, "append">,
  onClickLost: (reason: unknown) => void,
): RecordTouchpoint {
  return (appId, event) =>
    new Promise((resolve) => {
      const givenUp = setTimeout(resolve, patience, null);
      journals.append({ category: "touchpoints", appId }, event).then(
        ({ position }) => {
          clearTimeout(givenUp);
          resolve(position);
        },
        (reason: unknown) => {
          clearTimeout(givenUp);
          onClickLost(reason);
          resolve(null);
        },
      );
    });
}
