import type { Config } from "../config/config.ts";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { type RunFile, readRunFile } from "../data-directory/run-file.ts";
import { eventStoreAccess, eventStoreUrl } from "../event-log/event-store-access.ts";
import { unusableStore } from "../event-log/unusable-event-store.ts";

/**
 * The instance that runs on the data directory, whose stores a command uses; null when none does.
 * @param usesDatabase whether the command uses Postgres, too
 * @throws {DataDirectoryUnusable} when the configuration names other stores than those of the instance
 */
export async function runningInstance(
  { dataDirectory, eventStoreUrl: store, eventStreamPrefix: prefix, databaseUrl }: Config,
  usesDatabase: boolean,
): Promise<RunFile | null> {
  const run = await readRunFile(dataDirectory);
  if (run === null) return null;
  const others = [
    ...(store !== null && normalAddress(store) !== normalAddress(run.eventStoreUrl) ? ["EVENTSTORE_URL"] : []),
    ...(store !== null && prefix !== run.eventStreamPrefix ? ["EVENT_STREAM_PREFIX"] : []),
    ...(usesDatabase && databaseUrl !== null && databaseUrl !== run.databaseUrl ? ["DATABASE_URL"] : []),
  ];
  if (others.length === 0) return run;
  throw new DataDirectoryUnusable(
    `${others.join(" and ")} of this command is not written as that of the instance that runs on ${dataDirectory}. ` +
      "Unset it for that instance, or set DATA_DIR to the directory of the one that you mean.",
  );
}

/** @throws {StartupError} when the address cannot be read */
function normalAddress(address: string): string {
  try {
    return eventStoreUrl(eventStoreAccess(address));
  } catch (failure) {
    throw unusableStore(failure);
  }
}
