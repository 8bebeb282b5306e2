import type { Knex } from "knex";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import type { RangeAt } from "./query-context.ts";

/** The dates of a report with daily aggregates that are valid at its position. */
export async function selectAggregatedDays(
  trx: Knex.Transaction,
  schema: SchemaName,
  { appId, position, query: { from, to } }: RangeAt,
): Promise<readonly LocalDate[]> {
  const { rows } = await trx.raw<{ rows: { local_date: LocalDate }[] }>(
    `select local_date
     from ${schema}.aggregated_days
     join ${schema}.day_changes using (app_id, local_date, changes)
     where app_id = :appId and local_date between :from and :to and changed_position <= :position
     order by local_date`,
    { appId, from, to, position: position.toString() },
  );
  return rows.map(({ local_date }) => local_date);
}
