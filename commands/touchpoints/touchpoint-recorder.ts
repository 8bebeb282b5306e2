import type { LogPosition } from "../../domain/event.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import type { Journals } from "../journals/journal.ts";

/** Maximum time a response waits for the journal. */
const timeoutMs = 2_000;

/** Records a touchpoint; resolves when it is durable, has failed, or has taken two seconds. */
export type RecordTouchpoint = (appId: number, event: EventToAppend<TouchpointEvent>) => Promise<void>;

/**
 * Records touchpoints of clients (contract/tracking-links.md#durability) in journals that spool what the log does not
 * accept (`spooling-journals.ts`); partners' servers repeat refused reports and need no spool. If the spool fails too,
 * `onClickLost` is called and the client still gets its response.
 */
export function touchpointRecorder(
  journals: Pick<Journals<LogPosition | null>, "append">,
  onClickLost: (reason: unknown) => void,
): RecordTouchpoint {
  return (appId, event) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      journals.append({ category: "touchpoints", appId }, event).then(
        () => {
          clearTimeout(timer);
          resolve();
        },
        (reason: unknown) => {
          clearTimeout(timer);
          onClickLost(reason);
          resolve();
        },
      );
    });
}
