import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Knex } from "knex";
import { claimLog } from "../../commands/claim-log.ts";
import { findLogId, openLog } from "../../commands/log-id.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import { databaseIdOf } from "../../projections/engine/engine-tables.ts";
import type { Config } from "../config/config.ts";
import { readIfThere, writePrivately } from "../data-directory/files.ts";
import { eventStoreCredential } from "../data-directory/secrets.ts";
import { startEmbeddedEventStore } from "../embedded-event-store/event-store.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { type EventLogAccess, eventStoreAccess } from "../event-log/event-store-access.ts";
import { createEventLog, usualDeadlineMs } from "../event-log/eventstore-event-log.ts";
import { streamsOfInstance } from "../event-log/stream-names.ts";
import { unusableStore } from "../event-log/unusable-event-store.ts";
import type { Log } from "../process/log.ts";
import { StartupError } from "../process/startup-error.ts";
import { tracedLog } from "../tracing/traced-log.ts";

/** The result of `work`; rejects with the {@link StartupError} of {@link unusableStore}. */
async function usingEventStore<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch((failure: unknown) => {
    throw failure instanceof StartupError ? failure : unusableStore(failure);
  });
}

type EventStoreConfig = Pick<Config, "eventStoreUrl" | "eventStreamPrefix" | "followerLagMs" | "diskReserveBytes">;

export interface OpenEventStore extends EventLogAccess {
  close(): Promise<void>;
}

/** The event store that the configuration names, or the embedded one in the data directory. */
export async function openEventStore(
  { eventStoreUrl, eventStreamPrefix, followerLagMs, diskReserveBytes }: EventStoreConfig,
  directory: string,
  onFailure: (failure: Error) => void,
): Promise<OpenEventStore> {
  const names = streamsOfInstance(eventStreamPrefix);
  if (eventStoreUrl !== null) {
    const access = await usingEventStore(async () => eventStoreAccess(eventStoreUrl));
    return { ...access, names, close: async () => {} };
  }
  const credential = await eventStoreCredential(directory);
  const storeDirectory = join(directory, "event-store");
  const known = await knownLogId(directory);
  // It would begin a new one.
  if (known !== null && !existsSync(storeDirectory)) throw lostLog(known, directory);
  const options = {
    directory: storeDirectory,
    ...credential,
    followerLagMs,
    reserveBytes: diskReserveBytes,
  };
  const store = await startEmbeddedEventStore(options, onFailure);
  return { ...credential, ...store, names };
}

/** The log of the instance, with the id that its first event gave it. */
export interface OpenEventLog {
  readonly log: EventLog;
  readonly logId: string;
}

/** File with the id of the log in the embedded event store of a data directory. */
const logIdFile = "log-id";

/**
 * @param directory that of the embedded event store; null for another event store
 * @throws {StartupError} when the event store does not respond, or the embedded one has lost its log
 */
export async function openEventLog(
  access: EventLogAccess,
  directory: string | null,
  processLog: Log,
): Promise<OpenEventLog> {
  const onTrouble = (error: Error): void => processLog.warn({ err: error }, "a subscription has lost the event store");
  return usingEventStore(async () => {
    // Throws where the address or a file that it names cannot be read.
    const log = createEventLog({ ...access, deadlineMs: usualDeadlineMs, onTrouble });
    try {
      const known = directory === null ? null : await knownLogId(directory);
      if (known !== null && (await findLogId(log)) !== known) throw lostLog(known, directory);
      const logId = await openLog(log, new Date().toISOString());
      // Reading the whole log needs another right than reading streams.
      await log.headPosition();
      if (directory !== null && known === null) await writePrivately(join(directory, logIdFile), `${logId}\n`);
      return { log: tracedLog(log), logId };
    } catch (failure) {
      await log.close();
      throw failure;
    }
  });
}

/**
 * The id of the log that a data directory has had; null when it has had none.
 * @throws {StartupError} when the file of the id is damaged
 */
async function knownLogId(directory: string): Promise<string | null> {
  const file = join(directory, logIdFile);
  const text = await readIfThere(file);
  if (text === null) return null;
  const logId = uuidOf(text.trim());
  if (logId !== null) return logId;
  throw new StartupError(
    `${file} is damaged. If EVENTSTORE_URL and EVENT_STREAM_PREFIX are as they were, remove it: the log itself is kept.`,
  );
}

/**
 * Claims the streams of an event store that other instances may use as well.
 * @throws {LogOfAnotherInstance} when one with another database has them
 */
export async function claimStreams(log: EventLog, db: Knex, takesOver = false): Promise<void> {
  await claimLog(log, { databaseId: await databaseIdOf(db), takesOver, now: new Date().toISOString() });
}

/**
 * The error for an event store that was emptied, or is read under another prefix: starting a new log there would lose
 * everything silently.
 */
function lostLog(logId: string, directory: string | null): StartupError {
  return new StartupError(
    `The event store of ${directory} no longer holds log ${logId}. If EVENTSTORE_URL or EVENT_STREAM_PREFIX was changed, ` +
      `change it back. Else restore a backup into another DATA_DIR; or remove ${logIdFile} there to begin a new, empty log.`,
  );
}
