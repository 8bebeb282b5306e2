import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEventStore } from "../../infra/embedded-event-store/event-store.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";

/** An event log on an embedded event store of its own. */
export interface TestLog {
  readonly log: EventLog;
  readonly connectionString: string;
  readonly port: number;
  /** The directory of the store. */
  readonly directory: string;
  /** Ends the store alone: from now on the log is unavailable. */
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

/** What every store of the tests accepts. */
export const credential = { username: "admin", password: "secret" };

/** The log of a directory that outlives it, with options of its store. */
export async function openLogIn(directory: string, options: Partial<Parameters<typeof openEventStore>[0]> = {}) {
  const store = await openEventStore({ directory, ...credential, ...options });
  const log = createEventLog({ connectionString: store.connectionString, ...credential, deadlineMs: 5_000 });
  const close = async (): Promise<void> => {
    await log.close();
    await store.close();
  };
  return { log, close };
}

/** @param options deadlineMs: one that a busy machine keeps by default; tests that wait for it to pass set a shorter one */
export async function startTestLog({ deadlineMs = 30_000 } = {}): Promise<TestLog> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const store = await openEventStore({ directory, ...credential }).catch(async (failure) => {
    await remove();
    throw failure;
  });
  const { connectionString, port } = store;
  const log = createEventLog({ connectionString, ...credential, deadlineMs });
  let stopped = false;
  const stopStore = async (): Promise<void> => {
    if (!stopped) await store.close();
    stopped = true;
  };
  return {
    log,
    connectionString,
    port,
    directory,
    stopStore,
    close: async () => {
      await log.close();
      await stopStore();
      await remove();
    },
  };
}
