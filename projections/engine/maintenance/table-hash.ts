import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/** Number and hash of all rows of a table. */
export interface TableHash {
  readonly rows: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** A row that is not the same in two tables. */
export interface RowDifference {
  /** The key columns and their values. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The whole row as JSON; null when the table has no such row. */
  readonly live: unknown;
  readonly replayed: unknown;
}

const maxDifferences = 20;

/**
 * The hash of a table's rows in the order of `key`; equal rows in one database give equal hashes. Rows are hashed in
 * buckets by their key first, so that Postgres does not hold all of them in memory.
 */
export async function hashTable(
  db: Knex | Knex.Transaction,
  schema: SchemaName,
  table: string,
  key: readonly string[],
): Promise<TableHash> {
  const { rows }: { rows: readonly { readonly rows: bigint; readonly hash: string | null }[] } = await db.raw(
    `with buckets as (
       select bucket,
              count(*) as rows,
              sha256(string_agg(sha256(convert_to(line, 'UTF8')), ''::bytea order by ${columns(key)})) as hash
       from (
         select left(md5(row(${columns(key)})::text), 3) as bucket, this_row::text as line, ${columns(key)}
         from ${schema}.${table} as this_row
       ) as lines
       group by bucket
     )
     select coalesce(sum(rows), 0)::bigint as rows,
            encode(sha256(coalesce(string_agg(hash, ''::bytea order by bucket), ''::bytea)), 'hex') as hash
     from buckets`,
  );
  return { rows: Number(rows[0]?.rows ?? 0), hash: rows[0]?.hash ?? "" };
}

/** The first rows, by key, that differ between two generations of a table. */
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
     from ${live}.${table} as l
     full join ${replayed}.${table} as r on ${sameKey}
     where l::text is distinct from r::text
     order by ${key.map((column) => `coalesce(l."${column}", r."${column}")`).join(", ")}
     limit ${maxDifferences}`,
  );
  return rows;
}

function columns(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
