import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEventStore } from "../../infra/event-log/embedded/event-store.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";

const credential = { username: "admin", password: "changeit" };

/** An event log on an embedded event store of its own; closing it deletes what it holds. */
export async function openEmbeddedLog(): Promise<EventLog> {
  const directory = mkdtempSync(join(tmpdir(), "touchledger-log-"));
  const store = await openEventStore({ directory, ...credential });
  const log = createEventLog({ connectionString: store.connectionString, deadlineMs: 5_000, ...credential });
  return {
    ...log,
    async close() {
      await log.close();
      await store.close();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
