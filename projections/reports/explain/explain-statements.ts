import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { Statement } from "../actuals/statement.ts";
import { amountColumns, amountOf, rateTable } from "../query/amounts.ts";
import { bindings } from "../query/bindings.ts";
import { factsOf, hasWithheld } from "../query/from-clause.ts";
import { withheldTable } from "../query/masking-sql.ts";
import type { FactKind } from "../query/measures.ts";
import { type Counting, countingOf } from "../query/metric-sql.ts";
import type { Reading } from "../query/query-context.ts";
import { isInRow, type RowValue } from "./explain-cell.ts";
import { type Fields, readToTell, toldFacts } from "./explain-facts.ts";

/** What a part of a cell is made of: a metric that counts one kind of facts, in one row. */
export interface CountedCell {
  readonly metric: SimpleMetric;
  readonly row: readonly RowValue[];
  /** Which facts of the row are the cell's, when not all are. */
  readonly isInCell?: (reading: Reading) => string;
  /** How they are found when they are counted for cohorts. */
  readonly cohort?: (reading: Reading) => CohortFacts;
}

/** Facts that count for cohorts, in SQL. */
export interface CohortFacts {
  /** For the `with` of a statement: what the others read. */
  readonly tables: readonly string[];
  /** The facts, as `countedFacts` tells them. */
  readonly counted: string;
  /** Why starts are withheld, as bits. */
  readonly withheld: string;
  /** Of returns, the id of the start that each came back after, over `counted`. Null: these are starts. */
  readonly startEventId: string | null;
}

/**
 * What a part of a cell is made of, one row: the sum of its contributions (`sum`, decimal text) and how many there are
 * (`found`); how many are left out for want of an exchange rate (`lost`) and in which currencies (`currencies`, null:
 * none); why others are withheld, as bits (`withheld`); `contributions` `skip` to `skip + size`, in the order of the
 * log positions from which on they count.
 *
 * What cohorts count is found once and kept. Other facts, of which there may be millions, are not kept but read again
 * for the page. They are ordered by what orders them alone and then looked up by index: the last page of 2,254,743
 * facts took twice as long when whole facts were sorted.
 */
export function explainingStatement(
  part: CountedCell,
  looking: Omit<Reading, "bind">,
  { skip, size }: { readonly skip: number; readonly size: number },
): Statement {
  const { bind, values } = bindings();
  const reading = { ...looking, bind };
  const { tables, counted, withheld, startEventId } = foundFacts(part, reading);
  const { kind, known, positions, said } = toldFacts[countingOf(part.metric, reading).over];
  const ids = Object.keys(known).map(quoted).join(", ");
  const fields = {
    kind: `'${kind}'`,
    ...asRead(known),
    ...positions(looking.schema),
    ...asRead(said),
    ...(startEventId === null ? {} : { startEventId }),
  };
  const perDevice = isPerDevice(part, reading);
  const contribution = perDevice ? `("eventId" in (select "eventId" from first))::integer` : "trim_scale(contribution)";
  const told = {
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
      `told as (select since, ${ids}, ${jsonObject(told)} as contribution from on_page as counted)`,
    ].join(", ")}
    select sums.found, sums.sum, sums.lost, sums.currencies, sums.withheld | ${withheld} as withheld,
      (select coalesce(json_agg(contribution order by since, ${ids}), '[]') from told) as contributions
    from (${perDevice ? sumsOfDevices : sumsOfFacts}) as sums`;
  return { text, values };
}

function jsonObject(fields: Fields): string {
  return `json_build_object(${Object.entries(fields).map(([field, text]) => `'${field}', ${text}`)})`;
}

/**
 * The first event of each device on the page, in the cell: that one adds 1 and the device's others 0, so that the sum
 * is the number of devices. Of the devices on the page alone, because to sort a large cell takes long.
 */
const firstOfDevices = `first as materialized (
      select distinct on ("userId") "eventId" from counted
      where because is null and not is_lost and "userId" in (select "userId" from on_page)
      order by "userId", "occurredAt", "eventId"
    )`;

function foundFacts(part: CountedCell, reading: Reading): CohortFacts {
  if (part.cohort !== undefined) return part.cohort(reading);
  return { tables: [tablesOf(reading)], counted: countedFacts(part, reading), withheld: "0", startEventId: null };
}

function isPerDevice({ metric }: CountedCell, reading: Reading): boolean {
  return countingOf(metric, reading).each === "device";
}

/** What is withheld is not told of, nor whether it would have been lost anyway. */
const isListed = "because is null and not is_lost";
const isLostForWant = "because is null and is_lost";

const sumsOfFacts = `
      select count(*) filter (where ${isListed})::integer as found,
        trim_scale(coalesce(sum(contribution) filter (where ${isListed}), 0))::text as sum,
        count(*) filter (where ${isLostForWant})::integer as lost,
        array_agg(distinct currency) filter (where ${isLostForWant}) as currencies,
        coalesce(bit_or(because), 0) as withheld
      from counted`;

/**
 * Devices are not amounts, and need no exchange rates. To group by them takes half as long as to count them at once.
 */
const sumsOfDevices = `
      select coalesce(sum(found), 0)::integer as found, count(*) filter (where found > 0)::text as sum, 0 as lost,
        null::text[] as currencies, coalesce(bit_or(because), 0) as withheld
      from (
        select count(*) filter (where ${isListed}) as found, bit_or(because) as because from counted group by "userId"
      ) as device`;

function tablesOf({ schema, report, rates, withheld, bind }: Reading): string {
  const withheldTables = withheld.length === 0 ? [] : [withheldTable(withheld, schema, report.appId, bind)];
  return [rateTable(rates, bind), ...withheldTables].join(", ");
}

/**
 * Every fact that the cell counts, with what it adds: null where an exchange rate is missing (`is_lost`), and why it is
 * withheld (`because`).
 */
function countedFacts({ metric, row, isInCell }: CountedCell, reading: Reading): string {
  const counting = countingOf(metric, reading);
  const { over } = counting;
  const { since, known, said } = toldFacts[over];
  const told = Object.entries({ ...known, ...said }).map(([field, text]) => `${text} as ${quoted(field)}`);
  const { value, currency, contribution, isLost, counts } = contributed(counting, reading);
  return `select fact.app_id, ${since} as since, ${told.join(", ")}, fact.local_date,
      ${value} as value, ${currency} as currency, (${contribution})::numeric as contribution, ${isLost} as is_lost,
      ${becauseOf(over, reading)} as because
    ${factsOf(over, reading, [metric], [...row.map(({ column }) => column), ...readToTell])}
      and ${isInRow(over, row, reading.bind)} and ${counting.condition} and ${counts}
      and ${isInCell?.(reading) ?? "true"}`;
}

interface Contributed {
  /** The amount that the contribution comes from, as it was sent, and its currency. */
  readonly value: string;
  readonly currency: string;
  readonly contribution: string;
  readonly isLost: string;
  /** Which of the facts that the metric looks at have anything to count. */
  readonly counts: string;
}

function contributed(counting: Counting, reading: Reading): Contributed {
  const whole = { value: "null::numeric", currency: "null::text", isLost: "false", counts: "true" };
  switch (counting.each) {
    case "fact":
    case "device":
      return { ...whole, contribution: "1" };
    case "number":
      return { ...whole, contribution: counting.number };
    case "amount": {
      const column = amountColumns[counting.over];
      const { converted, isLost } = amountOf(counting.over, reading);
      return {
        value: column,
        currency: "fact.currency",
        contribution: `${counting.sign}${converted}`,
        isLost: `coalesce(${isLost}, false)`,
        counts: `${column} is not null`,
      };
    }
  }
}

/** Why a fact is withheld, as bits (contract/reports.md#masking); null: it is not. */
function becauseOf(over: FactKind, reading: Reading): string {
  return hasWithheld(over, reading) ? "withheld.because" : "null::integer";
}

/** Fields whose SQL has been read under their own names; instants are made texts, one page of them. */
function asRead(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, readAs[field] ?? quoted(field)]));
}

const readAs: Fields = {
  occurredAt: `to_char("occurredAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

function quoted(name: string): string {
  return `"${name}"`;
}
