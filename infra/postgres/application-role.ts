import pg from "pg";
import { databaseUser } from "./cluster.ts";

/** The role of the application. It owns the database, may create others and roles, and is no superuser. */
export const applicationRole = "touchledger_app";

/**
 * Gives every object of the database to the application's role. Sequences of columns follow their tables, objects of
 * extensions stay with the extension.
 */
const takeOver = `
  do $$
  declare statement text;
  begin
    for statement in
      select format('alter schema %I owner to ${applicationRole}', nspname) from pg_namespace
        where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
      union all
      select format('alter table %s owner to ${applicationRole}', c.oid::regclass)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                          and (d.deptype = 'e' or (c.relkind = 'S' and d.deptype in ('a', 'i'))))
      union all
      select format('alter routine %s owner to ${applicationRole}', p.oid::regprocedure)
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
          and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    loop
      execute statement;
    end loop;
    alter database ${databaseUser} owner to ${applicationRole};
  end $$`;

/**
 * Creates the application's role and its database. A database of the superuser, as earlier versions made it, goes to the
 * role with all that is in it.
 * @param superuserAddress the connection string of the superuser for a database
 */
export async function ensureApplicationRole(
  superuserAddress: (database: string) => string,
  password: string,
): Promise<void> {
  const owner = await connected(superuserAddress("postgres"), async (client) => {
    const found = await client.query("select 1 from pg_roles where rolname = $1", [applicationRole]);
    if (found.rowCount === 0) await client.query(`create role ${applicationRole}`);
    await client.query(
      `alter role ${applicationRole} login createdb createrole password ${client.escapeLiteral(password)}`,
    );
    // The schema is named after the superuser, whose default search path has it.
    await client.query(`alter role ${applicationRole} set search_path = ${databaseUser}, public`);
    const { rows } = await client.query<{ owner: string }>(
      "select pg_get_userbyid(datdba) as owner from pg_database where datname = $1",
      [databaseUser],
    );
    if (rows.length === 0) await client.query(`create database ${databaseUser} owner ${applicationRole}`);
    return rows[0]?.owner ?? applicationRole;
  });
  if (owner !== applicationRole) {
    await connected(superuserAddress(databaseUser), (client) => client.query(takeOver));
  }
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
