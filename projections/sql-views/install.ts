import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { Projection } from "../projection.ts";
import { liveSchema } from "../read-models.ts";
import { sqlViews, viewSchema, viewStatements } from "./views.ts";

/** The projections whose tables the views read. */
export interface ViewedProjections {
  readonly facts: Pick<Projection, "name" | "version">;
  readonly apps: Pick<Projection, "name" | "version">;
}

/** SQLSTATE of Postgres when the columns of a view cannot be changed in place. */
const invalidTableDefinition = "42P16";

/**
 * Points the views at the live generations (contract/sql.md), unless they are as it has installed them: views that somebody
 * changed or dropped are replaced. Does nothing while a generation is being built for the first time. It waits a second at
 * most for queries that read the views, and then fails.
 */
export async function installViews(db: Knex, projections: ViewedProjections): Promise<void> {
  const [facts, apps] = [await schemaOf(db, projections.facts), await schemaOf(db, projections.apps)];
  if (facts === null || apps === null) return;
  const statements = viewStatements({ facts, apps });
  const wanted = createHash("sha256").update(statements.join(";")).digest("hex");
  const { comment, definitions } = await readSchema(db);
  if (comment === `${wanted} ${definitions}`) return;
  await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('touchledger sql views', 0))");
    await trx.raw("set local lock_timeout = '1s'");
    await trx.raw(`create schema if not exists ${viewSchema}`);
    await trx
      .transaction((attempt) => runAll(attempt, statements))
      .catch(async (failure: { readonly code?: string }) => {
        if (failure.code !== invalidTableDefinition) throw failure;
        await dropViews(trx);
        await runAll(trx, statements);
      });
    const installed = await readSchema(trx);
    await trx.raw(`comment on schema ${viewSchema} is '${wanted} ${installed.definitions}'`);
  });
}

/** Whether a view was changed or dropped since the views were installed; false when they never were. */
export async function haveViewsChanged(db: Knex): Promise<boolean> {
  const { comment, definitions } = await readSchema(db);
  const [, installed = null] = comment?.split(" ") ?? [];
  return definitions !== installed;
}

function schemaOf(db: Knex, { name, version }: Pick<Projection, "name" | "version">): Promise<string | null> {
  return liveSchema(db, name, version);
}

interface InstalledSchema {
  /** The hash of the statements that have created the views, and that of the definitions which these had then. */
  readonly comment: string | null;
  /** A hash of these views as the schema has them now; null when it has none. */
  readonly definitions: string | null;
}

/** The definitions are read as Postgres stores them: `pg_get_viewdef` fails while another process drops what they read. */
async function readSchema(db: Knex | Knex.Transaction): Promise<InstalledSchema> {
  const { rows } = await db.raw<{ rows: InstalledSchema[] }>(
    `select obj_description(to_regnamespace(:schema), 'pg_namespace') as comment,
            encode(sha256(convert_to(
              string_agg(concat_ws(' ', relname, reloptions::text, ev_action::text), ';' order by relname), 'UTF8'
            )), 'hex') as definitions
     from pg_class
     join pg_rewrite on ev_class = pg_class.oid and rulename = '_RETURN'
     where relnamespace = to_regnamespace(:schema) and relkind = 'v' and relname = any(:names)`,
    { schema: viewSchema, names: Object.keys(sqlViews) },
  );
  return rows[0] ?? { comment: null, definitions: null };
}

async function runAll(trx: Knex.Transaction, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await trx.raw(statement);
}

/** Drops all views of the schema, in one statement because they may read each other. */
async function dropViews(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw<{ rows: { names: string | null }[] }>(
    "select string_agg(format('%I.%I', schemaname, viewname), ', ') as names from pg_views where schemaname = ?",
    [viewSchema],
  );
  const names = rows[0]?.names ?? null;
  if (names !== null) await trx.raw(`drop view ${names}`);
}
