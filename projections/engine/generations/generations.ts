import type { Knex } from "knex";
import { minuteMs } from "../../../domain/values/instants.ts";
import type { GroupName, Projection, SchemaName } from "../../projection.ts";
import { advisoryLocks } from "../advisory-locks.ts";

/** Prefix of the name of the advisory lock that a build of a projection holds from before its generation exists. */
export const buildLock = "touchledger build ";

/** How long a replaced generation is kept: longer than the statement time-out of a request or of a report. */
export const defaultGraceMs = 5 * minuteMs;

/** SQL condition: the generation is live, or stays until that of another version is. */
export const isCurrent = "(state = 'live' or (state = 'retired' and drop_after is null))";

/** SQL condition: the end has passed, or is so far away that it was set while the clock was ahead. */
const isGraceOver = `(drop_after < clock_timestamp()
  or drop_after > clock_timestamp() + ${2 * defaultGraceMs} * interval '1 millisecond')`;

/** One build of a projection's tables. */
export interface Generation {
  readonly schema: SchemaName;
  readonly projection: string;
  readonly version: number;
  readonly group: GroupName;
  readonly state: "building" | "live" | "retired";
  /** While building: commit position of the last event applied. */
  readonly position: bigint | null;
  /** While building: number of events of the log up to `position`. */
  readonly events: bigint;
}

/** Every generation that has not been dropped, by projection, newest first. */
export async function readGenerations(db: Knex | Knex.Transaction): Promise<readonly Generation[]> {
  const { rows }: { rows: readonly Generation[] } = await db.raw(
    `select schema_name as schema, projection, version, group_name as "group", state, commit_position as position, events
     from touchledger.generations
     order by projection, build desc`,
  );
  return rows;
}

/** Creates a schema with a projection's empty tables. A building generation gets its query indexes at the end. */
export async function createGeneration(
  trx: Knex.Transaction,
  projection: Projection,
  state: "building" | "live",
): Promise<SchemaName> {
  if (!/^[a-z][a-z0-9_]*$/.test(projection.name)) throw new Error(`Not a projection's name: ${projection.name}`);
  // Higher than that of every generation, even if the sequence was set back.
  const { rows }: { rows: readonly { readonly build: bigint }[] } = await trx.raw(
    `select greatest(nextval('touchledger.builds'), max(build) + 1) as build
     from touchledger.generations
     where projection = ?`,
    [projection.name],
  );
  const build = String(rows[0]?.build);
  const schema = `${projection.name}_v${projection.version}_${build}`;
  await trx.raw(`create schema ${schema}`);
  await projection.createTables(trx, schema);
  if (state === "live") await projection.createQueryIndexes?.(trx, schema);
  await trx.raw(
    `insert into touchledger.generations (schema_name, projection, version, build, group_name, state)
     values (?, ?, ?, ?, ?, ?)`,
    [schema, projection.name, projection.version, build, projection.group, state],
  );
  return schema;
}

/** Records how far building generations have come. */
export async function advanceBuilding(
  trx: Knex.Transaction,
  schemas: readonly SchemaName[],
  position: bigint,
  events: number,
): Promise<void> {
  await trx.raw(
    `update touchledger.generations
     set commit_position = ?, events = events + ?
     where schema_name = any(?)`,
    [String(position), events, [...schemas]],
  );
}

/**
 * Makes building generations live and retires those that they replace, which are dropped after `graceMs`. The group's
 * checkpoint must be locked, and the generations must have been built exactly up to it.
 */
export async function promote(
  trx: Knex.Transaction,
  schemas: ReadonlyMap<Projection, SchemaName>,
  graceMs: number,
): Promise<void> {
  const names = [...schemas.keys()].map(({ name }) => name);
  await trx.raw(
    `delete from touchledger.parked_events
     where schema_name in (
       select schema_name
       from touchledger.generations
       where projection = any(?) and state = 'live'
     )`,
    [names],
  );
  await trx.raw(
    `update touchledger.generations
     set state = 'retired', drop_after = clock_timestamp() + ? * interval '1 millisecond'
     where projection = any(?) and ${isCurrent}`,
    [graceMs, names],
  );
  const { rowCount }: { rowCount: number } = await trx.raw(
    `update touchledger.generations
     set state = 'live', promoted_at = clock_timestamp()
     where schema_name = any(?)`,
    [[...schemas.values()]],
  );
  // Of a build whose connection with the lock was lost.
  if (rowCount !== schemas.size) throw new Error(`Generations of ${names.join(", ")} were dropped while being built.`);
}

/**
 * Retires the live generations of a group that its new runner does not apply. When the runner applies another version of
 * the projection, the old generation is kept for its readers until the new one is live.
 */
export async function retireOthers(
  trx: Knex.Transaction,
  group: GroupName,
  projections: readonly Projection[],
  graceMs: number,
): Promise<void> {
  await trx.raw(
    `update touchledger.generations
     set state = 'retired',
         drop_after = case
           when projection = any(:names) then null
           else clock_timestamp() + :graceMs * interval '1 millisecond'
         end
     where group_name = :group
       and state = 'live'
       and not (projection || ' ' || version = any(:versions))`,
    {
      group,
      graceMs,
      names: projections.map(({ name }) => name),
      versions: projections.map(({ name, version }) => `${name} ${version}`),
    },
  );
}

/** Drops a generation and everything in it. */
export async function dropGeneration(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  // The row is deleted first: its lock keeps two processes from dropping the schema at the same time.
  await trx.raw("delete from touchledger.generations where schema_name = ?", [schema]);
  await trx.raw(`drop schema if exists ${schema} cascade`);
}

/** Drops a generation that is being built. One that was promoted meanwhile stays, even if the reply to its commit was lost. */
export async function dropBuilding(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  const { rowCount }: { rowCount: number } = await trx.raw(
    "delete from touchledger.generations where schema_name = ? and state = 'building'",
    [schema],
  );
  if (rowCount > 0) await trx.raw(`drop schema if exists ${schema} cascade`);
}

/**
 * Drops the retired generations whose grace period is over and that no view reads, which it would drop as well, and those
 * of builds that were killed: nobody holds their build lock. Returns their schemas.
 */
export async function dropExpired(db: Knex): Promise<readonly SchemaName[]> {
  return db.transaction(async (trx) => {
    // Instead of waiting for a reader, with new readers queueing behind the drop, this fails and is retried later.
    await trx.raw("set local lock_timeout = '1s'");
    const { rows }: { rows: readonly { readonly schema_name: string }[] } = await trx.raw(
      `select schema_name
       from touchledger.generations
       where (state = 'retired' and ${isGraceOver} and not exists (
            select
            from pg_depend
            join pg_rewrite on classid = 'pg_rewrite'::regclass and objid = pg_rewrite.oid
            join pg_class as viewed on refclassid = 'pg_class'::regclass and refobjid = viewed.oid
            where viewed.relnamespace = to_regnamespace(schema_name)
          ))
          -- A build has its lock before its generation. Locks are read after the snapshot is taken.
          or (state = 'building' and not exists (
            select
            from (${advisoryLocks}) as held
            where key = hashtextextended('${buildLock}' || projection, 0)
          ))
       for update of generations skip locked`,
    );
    for (const { schema_name } of rows) await dropGeneration(trx, schema_name);
    return rows.map(({ schema_name }) => schema_name);
  });
}
