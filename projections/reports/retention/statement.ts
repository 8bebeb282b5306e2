import { isElapsed, lastInterval } from "../../../domain/reporting/granularity.ts";
import type { ResultLimits } from "../../../domain/reporting/limits.ts";
import type { MaskedRange } from "../../../domain/reporting/masking.ts";
import { type RetentionQuery, startUsers } from "../../../domain/reporting/retention/query.ts";
import { fewestReturnSelections, startCategories } from "../../../domain/reporting/return-events.ts";
import type { SchemaName } from "../../projection.ts";
import { type CohortEvents, isOfCohort, lastStartsOfDates, returnsOf } from "../cohorts/cohort-events.ts";
import { type EventFields, noEventFields } from "../cohorts/event-fields.ts";
import { beginningSql, intervalSql } from "../cohorts/interval-sql.ts";
import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupedBy, groupNames, groupTexts } from "../facts/group-by-columns.ts";
import { factView, isMaskedFact } from "../masking/fact-view.ts";
import { shownGroupBys } from "../masking/fully-masked-rows.ts";
import { maskedTables } from "../masking/masked-facts.ts";
import { bindings, type Statement } from "../query/bindings.ts";
import { orderBy } from "../query/order-by.ts";
import type { QueryContext, ReportAt } from "../query/query-context.ts";

/** The block number of a group's own line, which sorts before all others. */
const ownLine = -1;

/**
 * The statement of a retention report (contract/reports.md#retention), with a row for each line of its groups:
 * `groups`, the number of all groups; `place`, the number of the line's group in the order of the report, from 1; its
 * `groupBys`; `block`, the line's block of starts, null on the group's own line; `startUsers`; `firstUsers`, those of
 * them without an earlier start in the group; `startMaskingReasons`, why starts were masked, as bits, null if none was;
 * `cells`, comma-separated texts of `interval users maskingReasons` for the intervals with returns; `maskingReasons`,
 * why starts or returns were masked, as bits.
 *
 * Returns the first groups that fit into a result as a whole. If not even the first one fits, one row has `place` null;
 * without groups, `groups` is 0.
 * @param returnsTo the last local date on which a return may count for a start
 * @param masked the masked ranges of the dates of starts and returns
 * @param max the maximum size of a result
 */
export function retentionStatement(
  schema: SchemaName,
  report: ReportAt<"retention">,
  returnsTo: string,
  masked: readonly MaskedRange[],
  max: ResultLimits,
): Statement {
  const { bind, values } = bindings();
  const context: QueryContext = { schema, report, rates: new Map(), masked, bind };
  const groups = groupNames(report.query.groupBys);
  const order = orderBy(report.query, startUsers, (field) => (field === startUsers ? "shown" : undefined));
  // A device has one start on a date.
  const devices = report.query.granularity === "day" ? "count(*)" : "count(distinct device_key)";
  const returnEvents = returnEventsOf(report.query, returnsTo);
  const tables = [
    ...maskedTables(context),
    `start as materialized (${startsOf(report, returnsTo, context)})`,
    `block_line as materialized (
      select g, block, ${devices} filter (where masking_reasons is null) as users,
        bit_or(masking_reasons) as masking_reasons
      from start
      group by g, block
    )`,
    // Masked starts have no device.
    `first_start as (
      select g, block, count(*) as users
      from (
        select g, min(block) as block
        from start
        where device_key is not null
        group by g, device_key
      ) as device
      group by g, block
    )`,
    `group_line as (
      select g, coalesce(first.users, 0) as users, blocks, masking_reasons
      from (
        select g, count(*) filter (where users > 0) as blocks, bit_or(masking_reasons) as masking_reasons
        from block_line
        group by g
      ) as line
      left join (
        select g, sum(users) as users
        from first_start
        group by g
      ) as first using (g)
    )`,
    `placed as (
      select *, row_number() over ordered as place, sum(blocks) over ordered as lines
      from (
        select *, case when masking_reasons is null then users end as shown
        from group_line
        join (select distinct ${["g", ...groups].join(", ")} from start) as label using (g)
      ) as line
      window ordered as (order by ${order} rows unbounded preceding)
    )`,
    `picked as materialized (
      select *
      from placed
      where place <= ${max.groups} and lines <= ${max.subRows} and place + lines <= ${max.lines}
    )`,
    // Materialized: to look each start's returns up by an index is slower than to read them all.
    `returned as materialized (${returnsOf(returnEvents, isElapsed(report.query.granularity) ? "instant" : "date", context)})`,
    `hit as (${hitsOf(report)})`,
    `cell as materialized (
      select g, block, n, case when not is_alone then device_key end as device,
        count(*) filter (where is_any_unmasked) as users, bit_or(masking_reasons) as masking_reasons
      from hit
      group by g, block, n, device
    )`,
    `counted as (
      select g, block, n, sum(users) as users, bit_or(masking_reasons) as masking_reasons
      from cell
      group by g, block, n
      union all
      select g, ${ownLine}, n, sum(users), bit_or(masking_reasons)
      from (
        select g, n, bit_or(masking_reasons) as masking_reasons,
          case when device is null then sum(users) else least(sum(users), 1) end as users
        from cell
        group by g, n, device
      ) as of_device
      group by g, n
    )`,
    `cells as (
      select g, block, bit_or(masking_reasons) as masking_reasons,
        string_agg(n || ' ' || users || ' ' || coalesce(masking_reasons, 0), ',') as cells
      from counted
      group by g, block
    )`,
    `line as (
      select place, g, array[${groups.join(", ")}]::text[] as "groupBys", ${ownLine} as block, users,
        null as first, masking_reasons
      from picked
      union all
      select place, g, null, block, line.users, coalesce(first_start.users, 0), line.masking_reasons
      from block_line as line
      join picked using (g)
      left join first_start using (g, block)
    )`,
  ];
  const text = `
    with ${tables.join(", ")}
    select total.groups::integer as groups, place::integer as place, "groupBys", nullif(block, ${ownLine}) as block,
      users::integer as "startUsers", first::integer as "firstUsers", line.masking_reasons as "startMaskingReasons",
      coalesce(cells, '') as cells,
      coalesce(line.masking_reasons, 0) | coalesce(cells.masking_reasons, 0) as "maskingReasons"
    from (select count(*) as groups from group_line) as total
    left join line on true
    left join cells using (g, block)
    order by place, line.block`;
  return { text, values };
}

/**
 * The chosen starts that pass the filters: `g`, the number of their group, and `g0` ... its values; `block`;
 * `masking_reasons`, null. If some are masked, also masked start events by group and block, without a device, but with
 * these bits. Fully masked groups are merged by their shown group-bys, with all their starts in the first block.
 * @param returnsTo the last local date on which a return may count for a start
 */
export function startsOf(
  report: ReportAt<"retention">,
  returnsTo: string,
  context: QueryContext,
  more: EventFields = noEventFields,
): string {
  const { query, timezone } = report;
  const { bind, masked } = context;
  const { from, to, granularity, startEvents, measurementOption } = query;
  const columns = query.groupBys.map(columnOf);
  const selections = [{ categories: startEvents.map((event) => startCategories[event]) }];
  const origin = beginningSql(from, timezone, bind);
  const block = intervalSql(granularity, origin, { date: "fact.local_date", at: "fact.at" });
  const groups = groupNames(columns);
  const texts = groupTexts(columns, "appEvents");
  // Returns after a start that is itself after the range do not count for the starts of the range.
  const lastStart = measurementOption === "confined_retention" ? returnsTo : to;
  const chosen = `(select * from ${lastStartsOfDates({ selections, from, to: lastStart }, context)} as chosen
      where local_date <= ${bind(to)}::date)`;
  const fields = Object.entries(more.fields);
  const starts = `select fact.device_key, fact.local_date, fact.at, fact.next_at, fact.is_alone,
        ${[...texts, `${block} as block`, "null::integer as masking_reasons"].join(", ")}
        ${fields.map(([name, text]) => `, ${text} as "${name}"`).join("")}
      ${fromClause("appEvents", { ...context, masked: [] }, [], [...columns, ...more.columns], { view: `${chosen} as fact`, conditions: [] })}`;
  const number = groups.map((group) => `${group} collate "C"`).join(", ");
  const numbered = (rows: string): string =>
    `select *, ${groups.length === 0 ? "1" : `dense_rank() over (order by ${number})`} as g from (${rows}) as passed`;
  if (masked.length === 0) return numbered(starts);
  const maskedStarts = `select null::uuid, null::date, null::timestamptz, null::timestamptz, null::boolean,
        ${[...texts, `${block} as block`, "bit_or(masked.masking_reasons)"].join(", ")}
        ${fields.map(() => ", null").join("")}
      ${fromClause("appEvents", context, [], columns, {
        view: factView("appEvents", context),
        conditions: [isOfCohort({ selections, from, to }, context), isMaskedFact],
      })}
      ${groupedBy([...groups, "block"])}`;
  const ofGroup = groups.length === 0 ? "" : `partition by ${groups.join(", ")}`;
  const others = [
    ...["device_key", "local_date", "at", "next_at", "is_alone", "masking_reasons"],
    ...fields.map(([name]) => `"${name}"`),
  ];
  const shown = shownGroupBys(query.groupBys, groups, "is_any_of_group_unmasked");
  return numbered(`
      select ${[...others, ...shown, "case when is_any_of_group_unmasked then block else 0 end as block"].join(", ")}
      from (select *, bool_or(masking_reasons is null) over (${ofGroup}) as is_any_of_group_unmasked
        from (${starts} union all ${maskedStarts}) as event) as of_group`);
}

/** SQL of whether a return (`returned`) counts for a `start` of its device, and in which interval (`n`). */
export function returnMatchSql({ granularity, measurementOption }: RetentionQuery) {
  const n = intervalSql(
    granularity,
    { date: "start.local_date", at: "start.at" },
    { date: "returned.local_date", at: "returned.last_at" },
  );
  // The first and the last return of a device on a date are enough; on dates without a start the instant does not
  // matter.
  const isMatch =
    measurementOption === "general_retention"
      ? "returned.last_at >= start.at"
      : "returned.last_at >= start.at and (start.next_at is null or returned.first_at < start.next_at)";
  return { n, isMatch };
}

/**
 * The distinct devices that returned, by block of the picked groups and interval (`n`): `is_any_unmasked`, whether one
 * of their returns is unmasked; `masking_reasons`, why others were masked, as bits. By day, a device can have one row for
 * unmasked and further rows for masked returns. Masked starts have no device, so they join no returns.
 */
function hitsOf({ query }: ReportAt<"retention">): string {
  const { granularity } = query;
  const { n, isMatch } = returnMatchSql(query);
  const pairs = `
      select start.g, start.block, start.device_key, start.is_alone, ${n} as n, returned.masking_reasons
      from start
      join picked using (g)
      join returned using (device_key)
      where ${isMatch}
        and ${n} <= ${lastInterval[granularity]}`;
  // A device has one start on a date, and its unmasked returns on a date are one row.
  if (granularity === "day") return `select *, masking_reasons is null as is_any_unmasked from (${pairs}) as pair`;
  return `
      select g, block, device_key, is_alone, n,
        bool_or(masking_reasons is null) as is_any_unmasked, bit_or(masking_reasons) as masking_reasons
      from (${pairs}) as pair
      group by g, block, device_key, is_alone, n`;
}

/** The return events of devices. */
export function returnEventsOf({ returnEvents, from }: RetentionQuery, to: string): CohortEvents {
  return { selections: fewestReturnSelections(returnEvents), from, to };
}
