import pg from "pg";
import { databaseUser } from "./cluster.ts";
import { scramVerifier } from "./scram-verifier.ts";

/** The role of the application. It owns the database, may create others and roles, and is no superuser. */
export const applicationRole = "touchledger_app";

/**
 * Creates the application's role and its database.
 * @param superuserAddress the connection string of the superuser for a database
 */
export async function ensureApplicationRole(
  superuserAddress: (database: string) => string,
  password: string,
): Promise<void> {
  await connected(superuserAddress("postgres"), async (client) => {
    const found = await client.query("select 1 from pg_roles where rolname = $1", [applicationRole]);
    if (found.rowCount === 0) await client.query(`create role ${applicationRole}`);
    await client.query(`alter role ${applicationRole} login createdb createrole password '${scramVerifier(password)}'`);
    // The schema is named after the superuser, whose default search path has it.
    await client.query(`alter role ${applicationRole} set search_path = ${databaseUser}, public`);
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [databaseUser]);
    if (rowCount === 0) await client.query(`create database ${databaseUser} owner ${applicationRole}`);
  });
}

async function connected<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
