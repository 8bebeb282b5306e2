import { factsOf, hasWithheld } from "../query/from-clause.ts";
import { isLeft, isWithheld } from "../query/masking-sql.ts";
import { blockOf, nowOf, type RevenueReading } from "./query-context.ts";

/**
 * `start` for the `with` of a statement: the start of each device in each group, its first start event of the range there
 * that is not withheld, and `lost_block` and `lost_because` (bits) of one before it that is. Of events at one instant it
 * does not matter which is the first. What is too old is before what is of a small month, so that the highest reason is
 * that of the first.
 */
export function startTable(reading: RevenueReading): string {
  const { asked, starts, columns, groups } = reading;
  const keys = [...groups, "device_key"].join(", ");
  const texts = columns.map(({ appEvents }, index) => `(${appEvents.text})::text as g${index}`);
  const events = { kind: "events", of: { categories: asked.query.startEvents } } as const;
  const facts = factsOf("appEvents", starts, [events], columns);
  const masks = hasWithheld("appEvents", starts);
  const left = masks ? `filter (where ${isLeft})` : "";
  const lost = masks
    ? `, min(fact.at) filter (where ${isWithheld}) as lost_at,
        min(fact.local_date) filter (where ${isWithheld}) as lost_date, max(withheld.because) as lost_because`
    : "";
  const isLost = "(at is null or lost_at < at)";
  const lostStart = masks
    ? `, case when ${isLost} then ${blockOf(reading, { date: "lost_date", at: "lost_at" })} end as lost_block,
      case when ${isLost} then lost_because end as lost_because`
    : "";
  return `start as materialized (
      select ${keys}, at, local_date, ${blockOf(reading, { date: "local_date", at: "at" })} as block ${lostStart}
      from (
        select ${[...texts, "fact.device_key"].join(", ")},
          min(fact.at) ${left} as at, min(fact.local_date) ${left} as local_date ${lost}
        ${facts} and fact.at <= ${nowOf(reading)}
        group by ${keys}
      ) as first
    )`;
}

/** The devices of each group and block, and those whose start was withheld: a select. */
export function cohortPart(reading: RevenueReading): string {
  const { starts, groups } = reading;
  const keys = [...groups, "block"].join(", ");
  const lostKeys = [...groups, "lost_block"].join(", ");
  const started = `select ${keys}, count(*) as users, 0 as lost_starts, 0 as because
    from start where at is not null group by ${keys}`;
  if (!hasWithheld("appEvents", starts)) return started;
  return `${started} union all
    select ${lostKeys}, 0, count(*), bit_or(lost_because)
    from start where lost_block is not null group by ${lostKeys}`;
}
