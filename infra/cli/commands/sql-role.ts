import { Command } from "commander";
import { installSqlViews, sqlViewSchema } from "../../composition/read-models.ts";
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
          withStores(async ({ db, databaseUrl }) => {
            await installSqlViews(db);
            const password = await createReaderRole(db, name, sqlViewSchema);
            const url = new URL(databaseUrl);
            Object.assign(url, { username: name, password });
            console.log(`${url}\nThe password is not shown again.`);
          }),
        ),
    )
    .addCommand(
      new Command("drop")
        .description("drop such a role")
        .argument("<name>", "of the role")
        .action((name: string) =>
          withStores(async ({ db }) => {
            await dropReaderRole(db, name, sqlViewSchema);
            console.log(`Dropped ${name}.`);
          }),
        ),
    );
}

async function withStores(work: (stores: OpenStores) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const stores = await openStores(config, openLogger(config.logLevel));
  await work(stores).finally(stores.close);
}
