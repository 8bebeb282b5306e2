import { Command } from "commander";
import { installSqlViews, lockingSqlViews, sqlViewSchema } from "../../composition/read-models.ts";
import { readConfig } from "../../config/config.ts";
import { createReaderRole, dropReaderRole } from "../../postgres/sql-role.ts";
import { openLogger } from "../../process/log.ts";
import { type OpenStores, openStores } from "../stores.ts";

/** `touchledger sql-role`: creates and drops roles that may read the SQL views (contract/sql.md). */
export function sqlRoleCommand(): Command {
  return new Command("sql-role")
    .addCommand(
      new Command("create")
        .description("create a role that reads the SQL views and nothing else, and print its connection string")
        .argument("<name>", "of the role")
        .action((name: string) =>
          withStores(async ({ db, databaseUrl, startsPostgres }) => {
            await installSqlViews(db);
            const password = await lockingSqlViews(db, (trx) => createReaderRole(trx, name, sqlViewSchema));
            console.log(`${addressOf(databaseUrl, name, password)}\nThe password is not shown again.`);
            if (!startsPostgres) return;
            console.log("The Postgres of DATA_DIR runs with its instance only, on another port after each start.");
          }),
        ),
    )
    .addCommand(
      new Command("drop")
        .description("drop such a role")
        .argument("<name>", "of the role")
        .action((name: string) =>
          withStores(async ({ db }) => {
            await lockingSqlViews(db, (trx) => dropReaderRole(trx, name, sqlViewSchema));
            console.log(`Dropped ${name}.`);
          }),
        ),
    );
}

/** The address of a database for another user. Parameters take precedence over the user in front of the host. */
export function addressOf(databaseUrl: string, user: string, password: string): string {
  const url = new URL(databaseUrl);
  for (const parameter of ["user", "password"]) url.searchParams.delete(parameter);
  if (url.host !== "") return String(Object.assign(url, { username: user, password }));
  // The address of a socket has no host that a user could stand in front of.
  url.searchParams.set("user", user);
  url.searchParams.set("password", password);
  return String(url);
}

async function withStores(work: (stores: OpenStores) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const stores = await openStores(config, openLogger(config.logLevel));
  await work(stores).finally(stores.close);
}
