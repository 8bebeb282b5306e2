import type { Knex } from "knex";
import { orStartupError, StartupError } from "../process/startup-error.ts";
import { postgresAdvice } from "./postgres-failures.ts";
/**
 * Whether the database can be used.
 * @throws {StartupError} when it does not respond, is older than version 15 or without ICU, or its encoding is not UTF-8
 */
export async function requirePostgres(db: Knex): Promise<void> {
  const { rows } = await orStartupError(postgresAdvice, () =>
    db.raw<{ rows: { version: string; isOld: boolean; encoding: string; hasIcu: boolean }[] }>(
      `select current_setting('server_version') as version,
         current_setting('server_version_num')::integer < 150000 as "isOld",
         current_setting('server_encoding') as encoding,
         exists (select from pg_collation where collname = 'und-x-icu') as "hasIcu"`,
    ),
  );
  for (const { version, isOld, encoding, hasIcu } of rows) {
    if (isOld) throw new StartupError(`DATABASE_URL names a Postgres ${version}. Use version 15 or later.`);
    if (!hasIcu) throw new StartupError("The Postgres of DATABASE_URL is built without ICU. Use one with it.");
    if (encoding !== "UTF8")
      throw new StartupError(
        `The database of DATABASE_URL has the encoding ${encoding}, in which not every text can be stored. Name one of UTF-8: ` +
          "create database touchledger owner <user> encoding 'UTF8' template template0",
      );
  }
}
