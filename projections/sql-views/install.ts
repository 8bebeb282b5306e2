import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { Projection } from "../projection.ts";
import { liveSchema } from "../read-models.ts";
import { viewSchema, viewStatements } from "./views.ts";

/** The projections whose tables the views read. */
export interface ViewedProjections {
  readonly facts: Pick<Projection, "name" | "version">;
  readonly apps: Pick<Projection, "name" | "version">;
}

/** SQLSTATE of Postgres when the columns of a view cannot be changed in place. */
const invalidTableDefinition = "42P16";

/**
 * Points the views at the live generations, where they are not yet (contract/sql.md). Does nothing while one is being
 * built for the first time. It waits a second at most for queries that read the views, and then fails.
 */
export async function installViews(db: Knex, projections: ViewedProjections): Promise<void> {
  const [facts, apps] = [await schemaOf(db, projections.facts), await schemaOf(db, projections.apps)];
  if (facts === null || apps === null) return;
  const statements = viewStatements({ facts, apps });
  const fingerprint = createHash("sha256").update(statements.join(";")).digest("hex");
  if ((await installedFingerprint(db)) === fingerprint) return;
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
    await trx.raw(`comment on schema ${viewSchema} is '${fingerprint}'`);
  });
}

function schemaOf(db: Knex, { name, version }: Pick<Projection, "name" | "version">): Promise<string | null> {
  return liveSchema(db, name, version);
}

async function installedFingerprint(db: Knex): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { fingerprint: string | null }[] }>(
    "select obj_description(to_regnamespace(?), 'pg_namespace') as fingerprint",
    [viewSchema],
  );
  return rows[0]?.fingerprint ?? null;
}

async function runAll(trx: Knex.Transaction, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await trx.raw(statement);
}

async function dropViews(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    "select quote_ident(viewname) as name from pg_views where schemaname = ?",
    [viewSchema],
  );
  for (const { name } of rows) await trx.raw(`drop view ${viewSchema}.${name}`);
}
