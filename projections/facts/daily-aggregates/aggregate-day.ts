import type { ReadModel } from "../../projection.ts";
import { bindingsOf, type Day, dailyTables, isOfDay } from "./daily-statements.ts";

/**
 * Aggregates the facts of a day in one snapshot, with and without their clients. When the facts change meanwhile, the
 * aggregates are out of date, which `changes` shows.
 */
export async function aggregateDay({ db, schema }: ReadModel, day: Day): Promise<void> {
  await db.transaction(
    async (trx) => {
      await trx.raw("set local synchronous_commit = off; set local work_mem = '64MB'");
      for (const { table, columns, select } of dailyTables(schema)) {
        await trx.raw(`delete from ${schema}.${table} where ${isOfDay}`, bindingsOf(day));
        await trx.raw(`insert into ${schema}.${table} (${columns}) ${select}`, bindingsOf(day));
      }
    },
    { isolationLevel: "repeatable read" },
  );
}
