import type { LogPosition } from "../../domain/recorded-event.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import type { Journals } from "../journal.ts";

/** Longer than this no visitor waits for the event log, in milliseconds. */
const patience = 5_000;

/** Writes what visitors do; resolves with the position, or with null when the visitor must be answered without. */
export type RecordVisit = (appId: number, event: EventToAppend<TouchpointEvent>) => Promise<LogPosition | null>;

/**
 * The one place that decides what becomes of a visit that cannot be written (D4.9): the visitor is answered all the
 * same, and what is lost is told to `onClickLost`.
 */
export function visitRecorder(
  journals: Pick<Journals, "append">,
  onClickLost: (reason: unknown) => void,
  mostMilliseconds = patience,
): RecordVisit {
  return (appId, event) =>
    new Promise((resolve) => {
      const givenUp = setTimeout(resolve, mostMilliseconds, null);
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
