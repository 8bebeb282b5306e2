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
/** SQLSTATE of Postgres when others depend on a view that is to be dropped. */
const dependentObjects = "2BP01";

/** Views of others read views whose columns have changed; the message names both. */
export class ViewsInUse extends Error {
  override readonly name = "ViewsInUse";
}

/**
 * Points the views at the live generations (contract/sql.md), unless they are as it has installed them: views that somebody
 * changed or dropped are replaced. Does nothing while a generation is being built for the first time. It waits a second at
 * most for queries that read the views, and then fails.
 * @throws {ViewsInUse} when some views could not be replaced; all others are
 */
export async function installViews(db: Knex, projections: ViewedProjections): Promise<void> {
  const [facts, apps] = [await schemaOf(db, projections.facts), await schemaOf(db, projections.apps)];
  if (facts === null || apps === null) return;
  const views = viewStatements({ facts, apps });
  const wanted = createHash("sha256")
    .update([...views.values()].flat().join(";"))
    .digest("hex");
  const { comment, definitions } = await readSchema(db);
  if (comment === `${wanted} ${definitions}`) return;
  const dependents = await lockingViews(db, async (trx) => {
    await trx.raw("set local lock_timeout = '1s'");
    await trx.raw(`create schema if not exists ${viewSchema}`);
    const found: string[] = [];
    for (const [name, statements] of views) found.push(...(await replaceView(trx, name, statements)));
    const installed = await readSchema(trx);
    const state = found.length === 0 ? wanted : "incomplete";
    await trx.raw(`comment on schema ${viewSchema} is '${state} ${installed.definitions}'`);
    return found;
  });
  if (dependents.length === 0) return;
  throw new ViewsInUse(
    `SQL views whose columns have changed could not be replaced: ${dependents.join("; ")}. Drop yours, and create them ` +
      "again once the others are replaced.",
  );
}

/**
 * Runs `work` in a transaction during which no other one replaces the views or grants access to them: Postgres refuses two
 * changes of a table's entry in the catalogue at once.
 */
export function lockingViews<Result>(db: Knex, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  return db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('touchledger sql views', 0))");
    return work(trx);
  });
}

/** Replaces a view, and drops it first when its columns have changed; returns what prevents that. */
async function replaceView(
  trx: Knex.Transaction,
  name: string,
  statements: readonly string[],
): Promise<readonly string[]> {
  if ((await failureOf(trx, statements, invalidTableDefinition)) === null) return [];
  const failure = await failureOf(trx, [`drop view ${viewSchema}.${name}`, ...statements], dependentObjects);
  return failure?.detail?.split("\n") ?? [];
}

interface PostgresFailure {
  readonly code?: string;
  readonly detail?: string;
}

/** Runs statements under a savepoint; returns their failure when it has this SQLSTATE, and throws any other. */
async function failureOf(
  trx: Knex.Transaction,
  statements: readonly string[],
  code: string,
): Promise<PostgresFailure | null> {
  try {
    await trx.transaction(async (attempt) => {
      for (const statement of statements) await attempt.raw(statement);
    });
    return null;
  } catch (failure) {
    if ((failure as PostgresFailure).code === code) return failure as PostgresFailure;
    throw failure;
  }
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
  /**
   * The hash of the statements that have created the views, or `incomplete` when some could not be replaced, and that of the
   * definitions which these had then.
   */
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
