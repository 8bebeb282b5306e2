import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Knex } from "knex";
import { openDatabase } from "../../infra/postgres/database.ts";
import { startPostgres } from "../../infra/postgres/server.ts";
import { openLogger } from "../../infra/process/log.ts";
import { aggregateDay } from "../../projections/facts/daily-aggregates/aggregate-day.ts";
import { daysToAggregate } from "../../projections/facts/daily-aggregates/changed-days.ts";
import { facts } from "../../projections/facts/projection.ts";
import { type ReportDataSize, writeReportData } from "./report-data.ts";
import { writePlainTables } from "./report-plain-tables.ts";

/** Increase it when the generated data change. */
const dataVersion = 3;
export const fullSize: ReportDataSize = { devices: 100_000, appEvents: 5_000_000, touchpoints: 2_000_000 };

/** The size for `BENCH_REPORT_EVENTS` app events, with devices and touchpoints in proportion. */
export function requestedSize(): ReportDataSize {
  const appEvents = Number(process.env.BENCH_REPORT_EVENTS ?? fullSize.appEvents);
  const share = appEvents / fullSize.appEvents;
  return {
    devices: Math.round(fullSize.devices * share),
    appEvents,
    touchpoints: Math.round(fullSize.touchpoints * share),
  };
}

/** A database with generated facts and, in another schema, the same data in plain tables. */
export interface ReportDatabase {
  readonly db: Knex;
  /** Schema of the facts. */
  readonly schema: string;
  /** Schema of the plain tables. */
  readonly plain: string;
  readonly connectionString: string;
  close(): Promise<void>;
}

/**
 * Opens generated data of this size. They are generated once for each version of the facts and stay in `BENCH_DATA_DIR`
 * (default: a temporary directory).
 */
export async function openReportDatabase(size: ReportDataSize): Promise<ReportDatabase> {
  const directory = process.env.BENCH_DATA_DIR ?? join(tmpdir(), "touchledger-bench-reports");
  await mkdir(directory, { recursive: true });
  const postgres = await startPostgres({ directory, log: openLogger("silent") });
  const db = openDatabase(postgres.connectionString, { max: 4, applicationName: "bench" });
  const schema = `facts_v${facts.version}_d${dataVersion}_${size.appEvents}`;
  const plain = `plain_d${dataVersion}_${size.appEvents}`;
  const close = async (): Promise<void> => {
    await db.destroy();
    await postgres.stop();
  };
  try {
    if (!(await hasSchema(db, schema))) {
      console.log(`  generating ${size.appEvents} app events and ${size.touchpoints} touchpoints in ${directory}`);
      await db.transaction(async (trx) => {
        await trx.raw(`drop schema if exists ${plain} cascade`);
        await writeReportData(trx, schema, size);
        await writePlainTables(trx, schema, plain);
      });
      for (const day of await daysToAggregate({ db, schema })) await aggregateDay({ db, schema }, day);
      for (const name of [schema, plain]) await vacuum(db, name);
    }
    return { db, schema, plain, connectionString: postgres.connectionString, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function hasSchema(db: Knex, schema: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>("select 1 from pg_namespace where nspname = ?", [schema]);
  return rows.length > 0;
}

/** Does what autovacuum does after a while. */
async function vacuum(db: Knex, schema: string): Promise<void> {
  const { rows } = await db.raw<{ rows: { table: string }[] }>(
    "select oid::regclass::text as table from pg_class where relnamespace = ?::regnamespace and relkind = 'r'",
    [schema],
  );
  for (const { table } of rows) await db.raw(`vacuum analyze ${table}`);
}
