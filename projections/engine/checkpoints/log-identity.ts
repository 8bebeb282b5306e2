import { logIdentityStream } from "../../../domain/streams.ts";
import type { LogReader } from "../runner/log-reader.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { positionText } from "./positions.ts";

/** The read models were built from another log, or from events that the log has lost since. */
export class WrongLog extends Error {
  override readonly name = "WrongLog";
}

/** The log has never been opened by a Touchledger server. */
export class LogNotOpened extends Error {
  override readonly name = "LogNotOpened";
}

/** The command that rebuilds all read models from the current log. */
const rebuildCommand = "touchledger projection rebuild --all";

/**
 * The id of the log, recorded when it was first opened.
 * @throws {LogNotOpened} when the log has none
 */
export async function requireLogId(log: Pick<LogReader, "read">): Promise<string> {
  for await (const event of log.read(logIdentityStream)) {
    return event.data.logId;
  }
  throw new LogNotOpened(`The event log has no stream ${logIdentityStream}: no Touchledger server has ever opened it.`);
}

/**
 * Compares a checkpoint with the log.
 * @throws {WrongLog} when it belongs to another log, or is ahead of this one
 */
export async function checkIdentity(
  log: Pick<LogReader, "eventAt">,
  logId: string,
  checkpoint: Checkpoint,
): Promise<void> {
  const advice = `Check that the event log is the right one; then \`${rebuildCommand}\` rebuilds them from it.`;
  if (checkpoint.logId !== logId) {
    throw new WrongLog(
      `The read models of group ${checkpoint.group} were built from log ${checkpoint.logId}, but this is log ${logId}. ${advice}`,
    );
  }
  if (checkpoint.position === null) return;
  const last = await log.eventAt(checkpoint.position);
  if (last?.id === checkpoint.lastEventId) return;
  throw new WrongLog(
    `The read models of group ${checkpoint.group} have passed position ${positionText(checkpoint.position)}, where the event log ` +
      `has ${last === null ? "no event: the log has lost some since" : "another event"}. ${advice}`,
  );
}
