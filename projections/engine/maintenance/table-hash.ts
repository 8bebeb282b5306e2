import type { Knex } from "knex";
import { inForce } from "../../in-force.ts";
import type { Projection, SchemaName } from "../../projection.ts";

/** Number and hash of all rows of a table. */
export interface TableHash {
  readonly rows: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** A row that is not the same in two tables. */
export interface RowDifference {
  /** The key columns and their values: JSON text, as numbers of Postgres have more digits than those of JavaScript. */
  readonly key: string;
  /** The whole row as JSON text; null when the table has no such row. */
  readonly live: string | null;
  readonly replayed: string | null;
}

const maxDifferences = 20;

/** Columns of log positions. The value `inForce` in them is not a position. */
const ofPosition = "(^|_)position$|^labelled_from$";

/** The hashes of each table, in the order of the schemas. */
export type TableHashes = ReadonlyMap<string, readonly TableHash[]>;

/**
 * The hashes of a projection's tables in some generations; equal rows in one database give equal hashes. Positions are
 * replaced by their ranks among all of these generations, so that a log and its copy in another event store, where the
 * positions differ, have the same hashes (docs/decisions/024).
 */
export async function hashTables(
  db: Knex | Knex.Transaction,
  schemas: readonly SchemaName[],
  tables: Projection["tables"],
): Promise<TableHashes> {
  return db.transaction(async (trx) => {
    // Compiling the joins of many columns takes as long as running them.
    await trx.raw("set local jit = off");
    const columns = await readColumns(trx, schemas, Object.keys(tables));
    await rankPositions(trx, columns);
    const hashes = new Map<string, readonly TableHash[]>();
    for (const [table, key] of Object.entries(tables)) {
      const ofTable: TableHash[] = [];
      for (const schema of schemas) {
        const rows = rankedRows(
          `${schema}.${table}`,
          columns.filter((column) => column.schema === schema && column.table === table),
        );
        ofTable.push(await hashRows(trx, rows, key));
      }
      hashes.set(table, ofTable);
    }
    await trx.raw("drop table position_ranks");
    return hashes;
  });
}

interface Column {
  readonly schema: SchemaName;
  readonly table: string;
  readonly column: string;
  readonly isPosition: boolean;
}

/** The columns of the tables, in their order. A table may have others in another schema, which is a difference. */
async function readColumns(
  trx: Knex.Transaction,
  schemas: readonly SchemaName[],
  tables: readonly string[],
): Promise<readonly Column[]> {
  const { rows }: { rows: readonly Column[] } = await trx.raw(
    `select table_schema as schema, table_name as table, column_name as column,
            data_type = 'bigint' and column_name ~ :ofPosition as "isPosition"
     from information_schema.columns
     where table_schema = any(:schemas) and table_name = any(:tables)
     order by ordinal_position`,
    { schemas, tables, ofPosition },
  );
  return rows;
}

/** Numbers all positions of the tables from 1 on, in a temporary table. */
async function rankPositions(trx: Knex.Transaction, columns: readonly Column[]): Promise<void> {
  const positions = columns
    .filter(({ isPosition }) => isPosition)
    .map(({ schema, table, column }) => `select "${column}" as position from ${schema}.${table}`);
  await trx.raw(
    `create temporary table position_ranks on commit drop as
     select position, row_number() over (order by position) as rank
     from (${["select null::bigint as position", ...positions].join(" union ")}) as positions
     where position <> ${inForce};
     create unique index on position_ranks (position);
     analyze position_ranks`,
  );
}

/** A table's rows with ranks in the place of positions. */
function rankedRows(table: string, columns: readonly Column[]): string {
  const selected = columns.map(({ column, isPosition }) =>
    isPosition ? `coalesce("rank of ${column}".rank, stored."${column}") as "${column}"` : `stored."${column}"`,
  );
  const joins = columns.map(({ column, isPosition }) =>
    isPosition
      ? `left join position_ranks as "rank of ${column}" on "rank of ${column}".position = stored."${column}"`
      : "",
  );
  return `select ${selected.join(", ")} from ${table} as stored ${joins.join(" ")}`;
}

/** Rows are hashed in buckets by their key first, so that Postgres does not hold all of them in memory. */
async function hashRows(trx: Knex.Transaction, select: string, key: readonly string[]): Promise<TableHash> {
  const keyColumns = key.map((name) => `"${name}"`).join(", ");
  const { rows }: { rows: readonly { readonly rows: bigint; readonly hash: string | null }[] } = await trx.raw(
    `with buckets as (
       select bucket,
              count(*) as rows,
              sha256(string_agg(sha256(convert_to(line, 'UTF8')), ''::bytea order by ${keyColumns})) as hash
       from (
         select left(md5(row(${keyColumns})::text), 3) as bucket, this_row::text as line, ${keyColumns}
         from (${select}) as this_row
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
    `select jsonb_build_object(${keyObject})::text as key,
            case when l."${first}" is not null then to_jsonb(l)::text end as live,
            case when r."${first}" is not null then to_jsonb(r)::text end as replayed
     from ${live}.${table} as l
     full join ${replayed}.${table} as r on ${sameKey}
     where l::text is distinct from r::text
     order by ${key.map((column) => `coalesce(l."${column}", r."${column}")`).join(", ")}
     limit ${maxDifferences}`,
  );
  return rows;
}
