import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import pg from "pg";
import { signalProcess } from "../../infra/data-directory/processes.ts";
import { startTemporaryPostgres } from "../runner/temporary-postgres.ts";

/** The environment variable with the connection string of the runner's Postgres. */
export const postgresVariable = "TOUCHLEDGER_TEST_POSTGRES";

let server: Promise<string> | null = null;

/**
 * The connection string of a fresh, empty database, on the one server of the test run. A file that is run alone
 * starts a server of its own, which ends with it.
 */
export async function testPostgres(): Promise<string> {
  server ??= Promise.resolve(process.env[postgresVariable] ?? ownServer());
  const address = new URL(await server);
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  try {
    // Copying files takes half of the time that logging each page does, as nothing waits for the disk.
    await client.query(`create database ${name} template template0 strategy file_copy`);
  } finally {
    await client.end();
  }
  address.pathname = name;
  return address.href;
}

async function ownServer(): Promise<string> {
  const own = await startTemporaryPostgres();
  own.unref();
  process.on("exit", () => {
    signalProcess(-own.pid, "SIGKILL");
    for (const directory of own.directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return own.connectionString;
}
