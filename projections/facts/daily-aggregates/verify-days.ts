import { type DerivedTable, maxListedRows, type ReadModel } from "../../projection.ts";
import { bindingsOf, type DailyTable, type Day, dailyTables, isOfDay } from "./daily-statements.ts";

/** Aggregates every day again whose aggregates are in use, in the snapshot of `db`, and compares the rows. */
export async function verifyDays({ db, schema }: ReadModel): Promise<readonly DerivedTable[]> {
  const { rows: days }: { rows: readonly Day[] } = await db.raw(
    `select app_id, local_date
     from ${schema}.aggregated_days
     join ${schema}.day_changes using (app_id, local_date, changes)
     order by local_date, app_id`,
  );
  const verified: DerivedTable[] = [];
  for (const daily of dailyTables(schema)) {
    let sum: DerivedTable = { table: daily.table, rows: 0, wrong: [], missing: [] };
    for (const day of days) {
      const { rows, wrong, missing } = await verifyDay({ db, schema }, daily, day);
      sum = {
        table: daily.table,
        rows: sum.rows + rows,
        wrong: [...sum.wrong, ...wrong].slice(0, maxListedRows),
        missing: [...sum.missing, ...missing].slice(0, maxListedRows),
      };
    }
    verified.push(sum);
  }
  return verified;
}

async function verifyDay(
  { db, schema }: ReadModel,
  { table, columns, select }: DailyTable,
  day: Day,
): Promise<Omit<DerivedTable, "table">> {
  const first = (lines: string, others: string): string =>
    `array(select line from (select * from ${lines} except all select * from ${others}) as lines order by line limit ${maxListedRows})`;
  const { rows }: { rows: readonly Omit<DerivedTable, "table">[] } = await db.raw(
    `with stored as (
       select to_jsonb(stored_row)::text as line
       from (select ${columns} from ${schema}.${table} where ${isOfDay}) as stored_row
     ), computed as (
       select to_jsonb(computed_row)::text as line
       from (${select}) as computed_row (${columns})
     )
     select (select count(*) from stored)::integer as rows,
            ${first("stored", "computed")} as wrong,
            ${first("computed", "stored")} as missing`,
    bindingsOf(day),
  );
  const [verified] = rows;
  if (verified === undefined) throw new Error(`Table ${table} was not compared`);
  return verified;
}
