import type { Knex } from "knex";
import { selectionOf } from "../../domain/raw-exports/event-keys.ts";
import type { RawExportQuery, RawExportType, ResumePoint } from "../../domain/raw-exports/events.ts";
import type { ZoneOffset } from "../../domain/raw-exports/local-range.ts";
import { isPropertyKey, type PropertyKey } from "../../domain/raw-exports/properties.ts";
import type { MaskedRange } from "../../domain/reporting/masking.ts";
import { sinceEpoch } from "../facts/table.ts";
import type { SchemaName } from "../projection.ts";
import { filterCondition, isSelected } from "../reports/facts/fact-conditions.ts";
import { dimensionJoin } from "../reports/facts/group-by-columns.ts";
import { leftFacts, maskedTables } from "../reports/masking/masked-facts.ts";
import { type Bind, bindings } from "../reports/query/statement.ts";
import { type RawColumn, type RawKind, rawColumn } from "./columns.ts";

/** An export at its log position, which the facts have passed with every target event decided. */
export interface RawExportAt {
  readonly appId: number;
  readonly timezone: string;
  readonly query: RawExportQuery;
  readonly position: bigint;
  /** The 'now' of the export (contract/exports.md#requesting). */
  readonly now: Date;
}

/** A place between rows, in their order: by event time, then by id. */
export type RawPlace = ResumePoint["after"];

/** The table of the facts of a kind, the table of details that only exports read, and the id column of both. */
export const rawTables = {
  appEvents: { facts: "app_events", details: "app_event_details", id: "event_id" },
  touchpoints: { facts: "touchpoints", details: "touchpoint_details", id: "touchpoint_id" },
} as const;

export function rawKindOf(type: RawExportType): RawKind {
  return type === "tracking-link" ? "touchpoints" : "appEvents";
}

/**
 * The statement that reads the rows of an export between two places, `after` exclusive and `until` inclusive: a text
 * for each property of the query, null where it is empty.
 */
export function rawStatement(
  schema: SchemaName,
  requested: RawExportAt,
  masked: readonly MaskedRange[],
  clock: readonly ZoneOffset[],
  { after, until }: { readonly after: RawPlace; readonly until: RawPlace },
): { readonly text: string; readonly values: Knex.ValueDict } {
  const { appId, query } = requested;
  const { bind, values } = bindings();
  const kind = rawKindOf(query.type);
  const { facts, details, id } = rawTables[kind];
  const columnOf = (key: PropertyKey): RawColumn => rawColumn(key, kind, clock, bind);
  const columns = query.properties.map((key) => columnOf(knownProperty(key)));
  const filters = query.filters.map((filter) => ({ filter, column: columnOf(knownProperty(filter.dimension)) }));
  const hasMaskedFacts = masked.length > 0;
  const joins = [...new Set([...columns, ...filters.map(({ column }) => column)].map(({ reads }) => reads))].map(
    (read) => (read === null ? "" : joinOf(read, schema, hasMaskedFacts)),
  );
  const conditions = [
    `fact.app_id = ${bind(appId)}`,
    `${sinceEpoch} between ${bind(msOf(after))}::interval and ${bind(msOf(until))}::interval`,
    ...conditionsOf(kind, requested, bind),
  ];
  const statement = [
    ...maskedTables({ masked, schema, report: { appId }, bind }),
    // Materialized, each is read by time: in one join the planner looks up every row, which is ten times slower.
    `detail as materialized (
      select * from ${schema}.${details}
      where app_id = ${bind(appId)} and at between ${bind(after.at)}::timestamptz and ${bind(until.at)}::timestamptz
        and (at, ${id}) > (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)
        and (at, ${id}) <= (${bind(until.at)}::timestamptz, ${bind(until.id)}::uuid)
    )`,
    `fact as materialized (
      select fact.*
      from ${leftFacts(`${schema}.${facts}`, hasMaskedFacts, conditions.join(" and "))}
    )`,
  ];
  const passes = filters.map(({ filter, column }) => filterCondition(column.text, filter, bind));
  const text = `with ${statement.join(", ")}
    select ${columns.map(({ text }, index) => `${text} as c${index}`).join(", ")}
    from detail join fact using (app_id, ${id})
    ${joins.join(" ")}
    where ${["true", ...passes].join(" and ")}
    order by detail.at, detail.${id}`;
  return { text, values };
}

function msOf({ at }: RawPlace): string {
  return `${Date.parse(at)} ms`;
}

function knownProperty(key: string): PropertyKey {
  if (isPropertyKey(key)) return key;
  throw new Error(`A recorded export has ${key}, which is not a property`);
}

/** Conditions on the facts that the event keys select as of the position. Touchpoints of bots have no details. */
function conditionsOf(kind: RawKind, { query, position }: RawExportAt, bind: Bind): readonly string[] {
  const at = bind(position);
  if (kind === "touchpoints") return [`fact.position <= ${at}`, `fact.kind = any(${bind(query.events)}::text[])`];
  const selections = query.events.flatMap((key) => selectionOf(key) ?? []);
  const wholeCategories = selections.flatMap(({ categories, first }) =>
    first === undefined ? (categories ?? []) : [],
  );
  const selected = [{ categories: wholeCategories }, ...selections.filter(({ first }) => first !== undefined)];
  return [
    `fact.from_position <= ${at}`,
    `fact.to_position > ${at}`,
    `fact.source = ${bind(query.type)}`,
    `(${selected.map((selection) => `(${isSelected(selection, bind)})`).join(" or ")})`,
  ];
}

function joinOf(dimension: NonNullable<RawColumn["reads"]>, schema: SchemaName, hasMaskedFacts: boolean): string {
  if (dimension !== "touch") return dimensionJoin(dimension, schema);
  // An event reveals nothing of its touchpoint when the touchpoint's own month is masked.
  const isShown = `not exists (
    select from masked as of_touch where of_touch.source_key = touch.source_key
      and touch.local_date between of_touch.first_date and of_touch.last_date)`;
  return `left join ${schema}.touchpoints as touch
    on touch.app_id = fact.app_id and touch.touchpoint_id = fact.touchpoint_id ${hasMaskedFacts ? `and ${isShown}` : ""}`;
}
