import { logIdentityStream } from "../../../domain/streams.ts";
import type { LogReader } from "../runner/log-reader.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { describePlace } from "./positions.ts";

/** The read models were built from another log than this, or from more than is left of it. */
export class WrongLog extends Error {
  override readonly name = "WrongLog";
}

/** The log has never been opened by a server of ours: there is nothing to project. */
export class LogNotOpened extends Error {
  override readonly name = "LogNotOpened";
}

/** The command that builds everything anew from the log at hand. */
export const rebuildCommand = "touchledger projection rebuild --all";

/**
 * The id that the log was given when it was opened.
 * @throws {LogNotOpened} when it has none
 */
export async function readLogId(log: Pick<LogReader, "read">): Promise<string> {
  for await (const event of log.read(logIdentityStream)) {
    return event.data.logId;
  }
  throw new LogNotOpened(`The event log has no stream ${logIdentityStream}: no Touchledger server has ever opened it.`);
}

/**
 * Compares a checkpoint with the log.
 * @throws {WrongLog} when it was not made from this log, or is ahead of it
 */
export async function checkIdentity(
  log: Pick<LogReader, "eventAt">,
  logId: string,
  checkpoint: Checkpoint,
): Promise<void> {
  const advice = `Check that the event log is the right one; then \`${rebuildCommand}\` builds them from it anew.`;
  if (checkpoint.logId !== logId) {
    throw new WrongLog(
      `The read models of group ${checkpoint.group} were built from log ${checkpoint.logId}, but this is log ${logId}. ${advice}`,
    );
  }
  if (checkpoint.place === null) return;
  const last = await log.eventAt(checkpoint.place);
  if (last?.id === checkpoint.lastEventId) return;
  throw new WrongLog(
    `The read models of group ${checkpoint.group} have passed position ${describePlace(checkpoint.place)}, where the event log ` +
      `has ${last === null ? "no event: the log has lost some since" : "another event"}. ${advice}`,
  );
}
