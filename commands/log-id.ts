import { randomUUID } from "node:crypto";
import type { LogOpened } from "../domain/event-catalogue.ts";
import { logIdentityStream } from "../domain/streams.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import { eventMetadata } from "./event-metadata.ts";

/**
 * The id of the log; gives it one when it has none, which makes `LogOpened` the first event of every log. Processes
 * that start at the same time agree.
 * @param now ISO 8601 in UTC
 */
export async function openLog(log: EventLog, now: string): Promise<string> {
  const known = await findLogId(log);
  if (known !== null) return known;
  const requestId = randomUUID();
  const opened: LogOpened = { type: "LogOpened", data: { logId: randomUUID() } };
  const cause = { actor: { kind: "reactor", name: "start" }, requestId, occurredAt: now } as const;
  const appended = await log.append(logIdentityStream, "no_stream", [
    { id: randomUUID(), ...opened, metadata: eventMetadata(opened.type, cause) },
  ]);
  if (appended.outcome === "appended") return opened.data.logId;
  const ofAnother = await findLogId(log);
  if (ofAnother === null) throw new Error(`${logIdentityStream} has events but names no log`);
  return ofAnother;
}

/** The id of the log; null when it has none yet. */
export async function findLogId(log: Pick<EventLog, "read">): Promise<string | null> {
  for await (const recorded of log.read(logIdentityStream)) {
    return recorded.data.logId;
  }
  return null;
}
