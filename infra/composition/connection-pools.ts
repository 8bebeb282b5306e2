import { join } from "node:path";
import type { Knex } from "knex";
import { hourMs } from "../../domain/values/instants.ts";
import { maskingTimeoutMs } from "../../projections/raw-exports/rows.ts";
import type { Config } from "../config/config.ts";
import { probeOptions } from "../postgres/close-silent-connections.ts";
import { openDatabase, socketsOf } from "../postgres/database.ts";
import { requirePostgres } from "../postgres/require-postgres.ts";
import { startPostgres } from "../postgres/server.ts";
import type { Log } from "../process/log.ts";

/** Maximum time of a query of the read API, and of its wait for a connection. */
const queryTimeoutMs = 15_000;
const acquireTimeoutMs = 5_000;
/** Long enough to create an index, but ends statements whose connection is dead. */
const workTimeouts = { statementTimeoutMs: hourMs, idleTransactionTimeoutMs: 10_000 };
/** For the look-ups of context calls, which get a response within a second in any case. */
const lookUpTimeouts = { statementTimeoutMs: 700, acquireTimeoutMs: 700, connectTimeoutMs: 700 };

export interface OpenPostgres {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** The Postgres that the configuration names, or one in the data directory. */
export async function openPostgres(
  { databaseUrl }: Config,
  directory: string,
  onFailure: (failure: Error) => void,
  log: Log,
): Promise<OpenPostgres> {
  if (databaseUrl !== null) return { connectionString: databaseUrl, stop: async () => {} };
  return startPostgres({ directory: join(directory, "postgres"), log, onFailure });
}

/** A pool for each purpose, so that none can exhaust the connections of another. */
export interface Databases {
  readonly reading: Knex;
  readonly lookingUp: Knex;
  readonly projecting: Knex;
  readonly reporting: Knex;
  /**
   * For what is sent to webhooks: two statements at a time, so that ten webhooks of an event leave processor time to the
   * links of the same machine. Commits do not wait for the disk, which links need for their clicks.
   */
  readonly notifying: Knex;
  /** For downloads of raw exports, which must not take the connections of the read API. */
  readonly exporting: Knex;
  /** For the question whether Postgres responds. */
  readonly probing: Knex;
}

/** @throws {StartupError} when Postgres does not respond */
export async function openDatabases(connectionString: string): Promise<Databases> {
  const open = (applicationName: string, max: number, more: object): Knex =>
    openDatabase(connectionString, { applicationName: `touchledger ${applicationName}`, max, ...more });
  const databases: Databases = {
    reading: open("read api", 10, { statementTimeoutMs: queryTimeoutMs, acquireTimeoutMs }),
    lookingUp: open("context", 4, lookUpTimeouts),
    projecting: open("projections", 12, { synchronousCommit: "off", ...workTimeouts }),
    reporting: open("reactors", 8, workTimeouts),
    notifying: open("webhooks", 2, { synchronousCommit: "off", ...workTimeouts }),
    exporting: open("exports", 6, { statementTimeoutMs: maskingTimeoutMs }),
    probing: open("probe", probeOptions.max, probeOptions),
  };
  await requirePostgres(databases.reading);
  return databases;
}

/** How long statements may still take once all that sends them has stopped. */
const lastStatementsMs = 2_000;

/** Closes the pools, also when Postgres does not respond: its connections are no longer watched by then. */
export async function closeDatabases(databases: Databases): Promise<void> {
  const pools = Object.values(databases);
  const cutOff = setTimeout(() => {
    for (const socket of pools.flatMap((pool) => [...socketsOf(pool)])) socket.destroy();
  }, lastStatementsMs);
  await Promise.all(pools.map((pool) => pool.destroy())).finally(() => clearTimeout(cutOff));
}
