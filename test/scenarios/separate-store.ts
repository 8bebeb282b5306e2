import { eventsOfType, type RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ClickRecorded } from "../../domain/touchpoints/events.ts";
import { eventStoreAccess } from "../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { type RunningApplication, temporaryDirectory } from "../support/application-process.ts";
import { type EventStoreProgram, startEventStore } from "../support/event-store-program.ts";
import { testPostgres } from "../support/stores.ts";

/** An event store that is a process of its own. */
export interface SeparateStore {
  /** The current process. */
  readonly store: EventStoreProgram;
  /** Its data directory. */
  readonly directory: string;
  /** For applications that use the store and one database. */
  readonly environment: { readonly EVENTSTORE_URL: string; readonly DATABASE_URL: string };
  /** Starts a killed store again, on the same data and port. */
  restart(): Promise<void>;
  /** Stops the store, frozen or not, and deletes its data. */
  end(): Promise<void>;
}

/** @param environment variables of the embedded one */
export async function runSeparateStore(environment: Readonly<Record<string, string>> = {}): Promise<SeparateStore> {
  const directory = await temporaryDirectory();
  let store = await startEventStore(directory.path, undefined, environment);
  return {
    get store() {
      return store;
    },
    directory: directory.path,
    environment: { EVENTSTORE_URL: store.url, DATABASE_URL: await testPostgres() },
    restart: async () => {
      store = await startEventStore(directory.path, store.port, environment);
    },
    end: async () => {
      store.thaw();
      await store.stop();
      await directory.remove();
    },
  };
}

/** Every event in the log. */
export async function recordedEvents({ store }: SeparateStore): Promise<readonly RecordedEvent[]> {
  const log = createEventLog({ ...eventStoreAccess(store.url), deadlineMs: 10_000 });
  const found: RecordedEvent[] = [];
  for await (const event of log.readAll("start", 1_000_000)) found.push(event);
  await log.close();
  return found;
}

/** The clicks in the log, one for each time that they are recorded. */
export async function recordedClicks(separate: SeparateStore): Promise<readonly ClickRecorded["data"][]> {
  return eventsOfType(await recordedEvents(separate), "ClickRecorded").map(({ data }) => data);
}

/** The value of a metric, which is named with its labels. */
export async function metric({ run }: RunningApplication, name: string): Promise<number> {
  const text = await (await fetch(`${run.baseUrl}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}
