import type { Knex } from "knex";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { facts } from "../../../projections/facts/projection.ts";
import type { ReadModel } from "../../../projections/projection.ts";
import { testPostgres } from "../../support/stores.ts";

type Row = { readonly [column: string]: unknown };

/** The tables of the facts in a schema of their own. */
export interface FactsTables extends ReadModel {
  apply(batch: readonly RecordedEvent[]): Promise<void>;
  /** Rows of a table by its key; only the columns named, all when none is. */
  rows(table: string, ...columns: readonly string[]): Promise<readonly Row[]>;
  /** Everything, to be compared. */
  all(): Promise<{ readonly [table: string]: readonly Row[] }>;
  /** Takes all rows out. */
  clear(): Promise<void>;
  /** Takes out what is counted by day, and what is known of its changes. */
  clearDailyCounts(): Promise<void>;
}

/**
 * Asserts that the rows after `log` are the same in any split into batches, some of them applied twice, and when the log
 * is applied again from the middle; returns them.
 */
export async function assertSameInAnySplit(
  [whole, split]: readonly [FactsTables, FactsTables],
  log: readonly RecordedEvent[],
  sizes: Iterator<number>,
): Promise<Awaited<ReturnType<FactsTables["all"]>>> {
  await whole.clear();
  await whole.apply(log);
  const once = await whole.all();
  await split.clear();
  for (let start = 0; start < log.length; ) {
    const size: number = sizes.next().value;
    await split.apply(log.slice(start, start + size));
    if (size % 2 === 1) await split.apply(log.slice(start, start + size));
    start += size;
  }
  assert.equal(await split.all(), once, "split");
  await whole.apply(log.slice((sizes.next().value * 7) % log.length));
  assert.equal(await whole.all(), once, "from the middle");
  return once;
}

let schemas = 0;

/** A database of the test's own. */
export async function openTestDatabase(): Promise<Knex> {
  return openDatabase(await testPostgres(), { max: 4, applicationName: "test", synchronousCommit: "off" });
}

export async function createFacts(db: Knex): Promise<FactsTables> {
  schemas += 1;
  const schema = `facts_${schemas}`;
  await db.transaction(async (trx) => {
    await trx.raw(`create schema ${schema}`);
    await facts.createTables(trx, schema);
    await facts.createQueryIndexes?.(trx, schema);
  });
  const rows = async (table: string, ...columns: readonly string[]): Promise<readonly Row[]> => {
    const read = columns.length === 0 ? "*" : columns.join(", ");
    const result: { readonly rows: readonly Row[] } = await db.raw(
      `select ${read} from ${schema}.${table} order by ${facts.tables[table]?.join(", ")}`,
    );
    return result.rows.map((row) => ({ ...row }));
  };
  return {
    db,
    schema,
    rows,
    apply: (batch) => db.transaction((trx) => facts.apply(trx, schema, batch)),
    all: async () => {
      const tables: { [table: string]: readonly Row[] } = {};
      for (const table of Object.keys(facts.tables)) tables[table] = await rows(table);
      return tables;
    },
    clear: async () => {
      await db.raw(
        [...Object.keys(facts.tables), "open_vectors", "install_vectors"]
          .map((table) => `delete from ${schema}.${table}`)
          .join("; "),
      );
    },
    clearDailyCounts: async () => {
      const tables = ["day_changes", "aggregated_days", "daily_touchpoints", "daily_app_events", "daily_devices"];
      await db.raw(tables.map((table) => `delete from ${schema}.${table}`).join("; "));
    },
  };
}
