import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEventStore } from "../../infra/embedded-event-store/event-store.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";

export interface TestLog {
  readonly log: EventLog;
  /** Ends the store alone: from now on the log is unavailable. */
  stopStore(): Promise<void>;
  close(): Promise<void>;
}

const credential = { username: "test", password: "test-password" };

/**
 * An event log on an embedded event store of its own. The deadline is one that a busy machine keeps; whoever waits for
 * it to pass sets a shorter one.
 */
export async function startTestLog({ deadlineMs = 30_000 } = {}): Promise<TestLog> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const store = await openEventStore({ directory, ...credential }).catch(async (failure) => {
    await remove();
    throw failure;
  });
  const log = createEventLog({ connectionString: store.connectionString, ...credential, deadlineMs });
  let stopped = false;
  const stopStore = async (): Promise<void> => {
    if (!stopped) await store.close();
    stopped = true;
  };
  return {
    log,
    stopStore,
    close: async () => {
      await log.close();
      await stopStore();
      await remove();
    },
  };
}
