import type { Knex } from "knex";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { aggregateDay } from "../../../projections/facts/daily-aggregates/aggregate-day.ts";
import { daysToAggregate } from "../../../projections/facts/daily-aggregates/changed-days.ts";

/** Notes that every day of written facts has changed once, as the projection would have: none of them is aggregated. */
export async function noteChangedDays(db: Knex, schema: string): Promise<void> {
  await db.raw(
    `insert into ${schema}.day_changes
     select app_id, local_date, 1
     from (select app_id, local_date from ${schema}.touchpoints
           union select app_id, local_date from ${schema}.app_events) as day`,
  );
}

/** Aggregates the chosen days, as the worker does once they are at rest. */
export async function aggregateDays(
  db: Knex,
  schema: string,
  isChosen: (date: LocalDate) => boolean = () => true,
): Promise<void> {
  for (const day of await daysToAggregate({ db, schema })) {
    if (isChosen(day.local_date)) await aggregateDay({ db, schema }, day);
  }
}
