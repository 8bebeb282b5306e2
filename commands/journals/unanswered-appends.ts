import type { StreamName } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

type JournalLog = Pick<EventLog, "append" | "read">;

/** The log as journals use it, and what it has not answered yet. */
export interface UnansweredAppends {
  readonly log: JournalLog;
  /** Resolves when the log has answered the last append of a journal to the stream, or its deadline is over. */
  answered(stream: StreamName): Promise<void>;
}

/**
 * Notes the appends of journals. A cluster drops an append while the same append waits for its replication, and responds
 * with a timeout 2 s later, so the drainer does not repeat one that is in flight.
 */
export function noteUnanswered(log: JournalLog): UnansweredAppends {
  const unanswered = new Map<string, Promise<void>>();
  return {
    log: {
      read: log.read,
      append: (stream, expected, events) => {
        const appending = log.append(stream, expected, events);
        const over = appending.then(
          () => undefined,
          () => undefined,
        );
        unanswered.set(stream, over);
        void over.then(() => {
          if (unanswered.get(stream) === over) unanswered.delete(stream);
        });
        return appending;
      },
    },
    answered: async (stream) => unanswered.get(stream),
  };
}
