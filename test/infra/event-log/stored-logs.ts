import type { StoredContent } from "../../../infra/event-log/codec.ts";
import type { Appended } from "../../../infra/event-log/event-log.ts";
import { eventStoreAccess } from "../../../infra/event-log/event-store-access.ts";
import { createStoredLog, type StoredLog } from "../../../infra/event-log/stored-log.ts";
import { streamsOfInstance } from "../../../infra/event-log/stream-names.ts";
import type { LogEnvironment } from "../../support/event-store.ts";
import { all } from "./event-log-client.ts";

/** A log that can only be read. */
export function logOf(events: readonly StoredContent[]): StoredLog {
  return {
    append: async (): Promise<Appended> => Promise.reject(new Error("This log takes no appends")),
    readAll: async function* (from) {
      yield* events.filter(({ position }) => from === "start" || position.commit > from.commit);
    },
    headPosition: async () => events.at(-1)?.position ?? null,
    close: async () => undefined,
  };
}

/** The stored log of an instance. */
export function storedLogAt({ EVENTSTORE_URL, EVENT_STREAM_PREFIX }: LogEnvironment): StoredLog {
  const names = streamsOfInstance(EVENT_STREAM_PREFIX);
  return createStoredLog({ ...eventStoreAccess(EVENTSTORE_URL), names, deadlineMs: 10_000 });
}

export async function eventsOf(log: StoredLog): Promise<readonly StoredContent[]> {
  return all(log.readAll("start"));
}

/** What a copy keeps of an event. */
export function kept({ id, stream, revision, type, isJson, data }: StoredContent) {
  return { id, stream, revision, type, isJson, data: data.toString("latin1") };
}
