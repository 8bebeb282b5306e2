import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { fromClause } from "../facts/from-clause.ts";
import { type MetricSql, metricSql } from "../facts/metric-sql.ts";
import { hasMaskedFacts, maskingReasonsOf } from "../masking/fact-view.ts";
import { amountColumns, amountOf, contextTables } from "../money/amounts.ts";
import { bindings, type Statement } from "../query/bindings.ts";
import type { QueryContext, UnboundContext } from "../query/query-context.ts";
import { explainedColumns, type Fields, factFields } from "./fact-fields.ts";
import { isInRow, type RowValue, shownGroupTable } from "./facts-of-cell.ts";

/** A part of a cell: a metric that counts one kind of facts, in one row. */
export interface CellPart {
  readonly metric: SimpleMetric;
  readonly row: readonly RowValue[];
  /** SQL of the facts of the row that belong to the cell, if not all do. */
  readonly isInCell?: (context: QueryContext) => string;
  /** The groups that unmasked facts of the report show (`shownGroupTable`), if facts of the part can be masked. */
  readonly shownGroups?: (context: QueryContext) => string;
  /** How the facts are found that count for cohorts. */
  readonly cohort?: (context: QueryContext) => CohortFacts;
}

/** Facts that count for cohorts, in SQL. */
export interface CohortFacts {
  /** Common table expressions for the `with` of a statement, which the others read. */
  readonly tables: readonly string[];
  /** The facts, with the columns of `contributingFacts`. */
  readonly counted: string;
  /** Why starts are masked, as bits. */
  readonly maskingReasons: string;
  /** For returns, the id of the start of each, over `counted`. Null: these are starts. */
  readonly startEventId: string | null;
}

/**
 * A statement of one row about a part of a cell: the sum of its contributions (`sum`, decimal text) and their number
 * (`found`); the number of unmasked facts without an exchange rate (`unconverted`) and their currencies (`currencies`,
 * null: none); why others are masked, as bits (`maskingReasons`); `contributions` `skip` to `skip + size`, in the order
 * of the log positions from which on they count.
 *
 * Facts of cohorts are found once and materialized. Other facts, of which there may be millions, are read again for the
 * page. Only their sort keys are sorted, and the facts then looked up by index: the last page of 2,254,743 facts took
 * twice as long when whole facts were sorted.
 */
export function explanationStatement(
  part: CellPart,
  unbound: UnboundContext,
  { skip, size }: { readonly skip: number; readonly size: number },
): Statement {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const { tables, counted, maskingReasons, startEventId } = foundFacts(part, context);
  const { kind, ids: identity, onPage, details } = factFields[metricSql(part.metric, context).over];
  const ids = Object.keys(identity).map(quoted).join(", ");
  const lookedUp = onPage(unbound);
  const fields = {
    kind: `'${kind}'`,
    ...asRead(identity),
    ...lookedUp,
    ...asRead(details),
    // Replaces what was read.
    ...lookedUp,
    ...(startEventId === null ? {} : { startEventId }),
  };
  const perDevice = isPerDevice(part, context);
  const contribution = perDevice ? `("eventId" in (select "eventId" from first))::integer` : "trim_scale(contribution)";
  const shown = {
    fact: jsonObject(fields),
    localDate: "local_date",
    value: "trim_scale(value)::text",
    currency: "currency",
    contribution: `${contribution}::text`,
  };
  const text = `
    with ${[
      ...tables,
      `counted as ${part.cohort === undefined ? "not materialized" : "materialized"} (${counted})`,
      `page as materialized (
        select since, ${ids} from counted where ${isListed}
        order by since, ${ids}
        offset ${bind(skip)} limit ${bind(size)}
      )`,
      `on_page as materialized (select * from counted where (${ids}) in (select ${ids} from page))`,
      ...(perDevice ? [firstOfDevices] : []),
      `shown as (select since, ${ids}, ${jsonObject(shown)} as contribution from on_page as counted)`,
    ].join(", ")}
    select sums.found, sums.sum, sums.unconverted, sums.currencies,
      sums.masking_reasons | ${maskingReasons} as "maskingReasons",
      (select coalesce(json_agg(contribution order by since, ${ids}), '[]') from shown) as contributions
    from (${perDevice ? sumsOfDevices : sumsOfFacts}) as sums`;
  return { text, values };
}

function jsonObject(fields: Fields): string {
  return `json_build_object(${Object.entries(fields).map(([field, text]) => `'${field}', ${text}`)})`;
}

/** Masked facts are neither listed nor counted as unconverted. */
const isListed = "masking_reasons is null and not is_unconverted";
const countsAsUnconverted = "masking_reasons is null and is_unconverted";

/**
 * The first event in the cell of each device on the page: that one adds 1 and the device's others 0, so that the sum is
 * the number of devices. Only for devices on the page, because sorting a large cell takes long.
 */
const firstOfDevices = `first as materialized (
      select distinct on ("userId") "eventId" from counted
      where ${isListed} and "userId" in (select "userId" from on_page)
      order by "userId", "occurredAt", "eventId"
    )`;

function foundFacts(part: CellPart, context: QueryContext): CohortFacts {
  if (part.cohort !== undefined) return part.cohort(context);
  const counted = contributingFacts(part, context);
  const tables = [...contextTables(context), ...shownGroupTables(part, context)];
  return { tables, counted, maskingReasons: "0", startEventId: null };
}

function shownGroupTables({ metric, shownGroups }: CellPart, context: QueryContext): readonly string[] {
  const hasMasked = hasMaskedFacts(metricSql(metric, context).over, context);
  return shownGroups === undefined || !hasMasked ? [] : [shownGroupTable(shownGroups(context))];
}

function isPerDevice({ metric }: CellPart, context: QueryContext): boolean {
  return metricSql(metric, context).each === "device";
}

const sumsOfFacts = `
      select count(*) filter (where ${isListed})::integer as found,
        trim_scale(coalesce(sum(contribution) filter (where ${isListed}), 0))::text as sum,
        count(*) filter (where ${countsAsUnconverted})::integer as unconverted,
        array_agg(distinct currency) filter (where ${countsAsUnconverted}) as currencies,
        coalesce(bit_or(masking_reasons), 0) as masking_reasons
      from counted`;

/**
 * The sums of devices, which need no exchange rates. Grouping by device takes half as long as `count(distinct)`.
 */
const sumsOfDevices = `
      select coalesce(sum(found), 0)::integer as found, count(*) filter (where found > 0)::text as sum,
        0 as unconverted, null::text[] as currencies, coalesce(bit_or(masking_reasons), 0) as masking_reasons
      from (
        select count(*) filter (where ${isListed}) as found, bit_or(masking_reasons) as masking_reasons
        from counted group by "userId"
      ) as device`;

/**
 * Every fact that the cell counts, with what it adds: null where an exchange rate is missing (`is_unconverted`), and
 * why it is masked, as bits (`masking_reasons`).
 */
function contributingFacts({ metric, row, isInCell }: CellPart, context: QueryContext): string {
  const counting = metricSql(metric, context);
  const { over } = counting;
  const { since, ids, details } = factFields[over];
  const fields = Object.entries({ ...ids, ...details }).map(([field, text]) => `${text} as ${quoted(field)}`);
  const { value, currency, contribution, isUnconverted, counts } = contributed(counting, context);
  return `select fact.app_id, ${since} as since, ${fields.join(", ")}, fact.local_date,
      ${value} as value, ${currency} as currency, (${contribution})::numeric as contribution,
      ${isUnconverted} as is_unconverted,
      ${maskingReasonsOf(over, context)} as masking_reasons
    ${fromClause(over, context, [metric], [...row.map(({ column }) => column), ...explainedColumns])}
      and ${isInRow(over, row, context.bind, hasMaskedFacts(over, context))} and ${counting.condition} and ${counts}
      and ${isInCell?.(context) ?? "true"}`;
}

interface Contributed {
  /** The original amount of the contribution, and its currency. */
  readonly value: string;
  readonly currency: string;
  readonly contribution: string;
  readonly isUnconverted: string;
  /** SQL of whether a fact that the metric reads contributes to it. */
  readonly counts: string;
}

function contributed(counting: MetricSql, context: QueryContext): Contributed {
  const whole = { value: "null::numeric", currency: "null::text", isUnconverted: "false", counts: "true" };
  switch (counting.each) {
    case "fact":
    case "device":
      return { ...whole, contribution: "1" };
    case "number":
      return { ...whole, contribution: counting.number };
    case "amount": {
      const column = amountColumns[counting.over];
      const { converted, isUnconverted } = amountOf(counting.over, context);
      return {
        value: column,
        currency: "fact.currency",
        contribution: `${counting.sign}${converted}`,
        isUnconverted: `coalesce(${isUnconverted}, false)`,
        counts: `${column} is not null`,
      };
    }
  }
}

/** Columns of a page that were selected under the names of their fields; instants become texts. */
function asRead(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, readAs[field] ?? quoted(field)]));
}

const readAs: Fields = {
  occurredAt: `to_char("occurredAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

function quoted(name: string): string {
  return `"${name}"`;
}
