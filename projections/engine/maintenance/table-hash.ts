import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/** All rows of a table in one number. */
export interface TableHash {
  readonly rows: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** A row that is not the same in two tables. */
export interface RowDifference {
  /** The key columns and their values. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The whole row as JSON, or null where there is none. */
  readonly live: unknown;
  readonly replayed: unknown;
}

const mostDifferences = 20;

/**
 * The hash of a table's rows in the order of `key`, the same for the same rows in one database. Rows are hashed in buckets by their key first: neither the database
 * nor we hold them all at a time.
 */
export async function hashTable(
  db: Knex | Knex.Transaction,
  schema: SchemaName,
  table: string,
  key: readonly string[],
): Promise<TableHash> {
  const { rows }: { rows: readonly { readonly rows: bigint | string; readonly hash: string | null }[] } = await db.raw(
    `with buckets as (
       select bucket, count(*) as rows,
              sha256(string_agg(sha256(convert_to(line, 'UTF8')), ''::bytea order by ${columns(key)})) as hash
         from (select left(md5(row(${columns(key)})::text), 3) as bucket, this_row::text as line, ${columns(key)}
                 from ${schema}.${table} this_row) lines
        group by bucket
     )
     select coalesce(sum(rows), 0)::bigint as rows,
            encode(sha256(coalesce(string_agg(hash, ''::bytea order by bucket), ''::bytea)), 'hex') as hash
       from buckets`,
  );
  return { rows: Number(rows[0]?.rows ?? 0), hash: rows[0]?.hash ?? "" };
}

/** The first rows, by key, that two tables of the same shape do not share. */
export async function differingRows(
  db: Knex | Knex.Transaction,
  live: SchemaName,
  replayed: SchemaName,
  table: string,
  key: readonly string[],
): Promise<readonly RowDifference[]> {
  const keyObject = key.map((column) => `'${column}', coalesce(l."${column}", r."${column}")`).join(", ");
  const sameKey = key.map((column) => `l."${column}" = r."${column}"`).join(" and ");
  const [first = ""] = key;
  const { rows }: { rows: readonly RowDifference[] } = await db.raw(
    `select jsonb_build_object(${keyObject}) as key,
            case when l."${first}" is not null then to_jsonb(l) end as live,
            case when r."${first}" is not null then to_jsonb(r) end as replayed
       from ${live}.${table} l full join ${replayed}.${table} r on ${sameKey}
      where l::text is distinct from r::text
      order by ${key.map((column) => `coalesce(l."${column}", r."${column}")`).join(", ")}
      limit ${mostDifferences}`,
  );
  return rows;
}

function columns(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
