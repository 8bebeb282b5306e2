import { join } from "node:path";
import type { Config } from "./config.ts";
import { openDataDirectory } from "./data-directory/data-directory.ts";
import { openingPart, type Part } from "./lifecycle.ts";
import type { Log } from "./log.ts";
import { startPostgres } from "./postgres/server.ts";

/** What the parts may ask of the process around them. */
export interface Surroundings {
  /** Ends the process in order, with exit 1: for a part that has failed while running. */
  fail(failure: Error): void;
  /** Whether everything runs and no stop was asked for. */
  ready(): boolean;
}

/** The composition root: every part of a running Touchledger, in the order in which they start. */
export function compose(config: Config, log: Log, surroundings: Surroundings): readonly Part[] {
  const directory = openingPart(
    "data directory",
    () => openDataDirectory(config.dataDirectory),
    (opened) => opened.close(),
  );
  const database = openingPart(
    "postgres",
    async () => {
      if (config.databaseUrl !== null) return { connectionString: config.databaseUrl, stop: async () => {} };
      const postgresDirectory = join(directory.opened().path, "postgres");
      return startPostgres({ directory: postgresDirectory, log, onFailure: surroundings.fail });
    },
    (opened) => opened.stop(),
  );
  return [directory, database];
}
