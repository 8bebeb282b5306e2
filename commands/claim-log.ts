import { randomUUID } from "node:crypto";
import type { LogClaimed } from "../domain/event-catalogue.ts";
import { logClaimsStream } from "../domain/streams.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import { eventMetadata } from "./event-metadata.ts";

/** Another instance, which has another database, has claimed the log. */
export class LogOfAnotherInstance extends Error {
  override readonly name = "LogOfAnotherInstance";
}

interface Claim {
  /** Of the database that holds the read models of the instance. */
  readonly databaseId: string;
  /** Whether to take the log from another instance that has claimed it. */
  readonly takesOver: boolean;
  /** ISO 8601 in UTC. */
  readonly now: string;
}

/**
 * Claims the log for the instance with a database, unless another instance has claimed it. Processes of one instance
 * share its claim.
 * @throws {LogOfAnotherInstance} when another instance has claimed it and `takesOver` is false
 */
export async function claimLog(log: EventLog, { databaseId, takesOver, now }: Claim): Promise<void> {
  for (;;) {
    const [last] = await log.readBackwards(logClaimsStream, 1);
    if (last?.data.databaseId === databaseId) return;
    if (last !== undefined && !takesOver) {
      throw new LogOfAnotherInstance(
        `Another instance, with another database, has used these streams of the event store since ` +
          `${last.metadata.occurredAt}. Give each instance an EVENT_STREAM_PREFIX of its own. If that instance is gone ` +
          `for good, \`touchledger log claim\` gives its streams to this one.`,
      );
    }
    const claimed: LogClaimed = { type: "LogClaimed", data: { databaseId } };
    const cause = { actor: { kind: "reactor", name: "start" }, requestId: randomUUID(), occurredAt: now } as const;
    const event = { id: randomUUID(), ...claimed, metadata: eventMetadata(claimed.type, cause) };
    const appended = await log.append(logClaimsStream, last?.revision ?? "no_stream", [event]);
    if (appended.outcome === "appended") return;
  }
}
