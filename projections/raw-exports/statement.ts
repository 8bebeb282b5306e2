import type { Knex } from "knex";
import type { RawExportQuery, RawExportType, ResumePoint } from "../../domain/raw-exports/events.ts";
import type { InstantRange, ZoneOffset } from "../../domain/raw-exports/local-range.ts";
import { isPropertyKey, type PropertyKey } from "../../domain/raw-exports/properties.ts";
import { selectionOf } from "../../domain/reporting/catalogue/event-keys.ts";
import type { MaskedRange } from "../../domain/reporting/masking.ts";
import type { SchemaName } from "../projection.ts";
import { filterCondition, isSelected } from "../reports/facts/fact-conditions.ts";
import { dimensionJoin } from "../reports/facts/group-by-columns.ts";
import { exportView, type RawKind } from "../reports/masking/export-view.ts";
import { touchpointView, type ViewContext } from "../reports/masking/fact-view.ts";
import { maskedTables } from "../reports/masking/masked-facts.ts";
import { type Bind, bindings } from "../reports/query/bindings.ts";
import { type RawColumn, rawColumn } from "./columns.ts";

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

/** The local times of an export: its range (`instantRanges`), and the offsets of all instants that it shows. */
export interface LocalTimes {
  readonly instants: readonly InstantRange[];
  readonly clock: readonly ZoneOffset[];
}

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
  { clock, instants }: LocalTimes,
  { after, until }: { readonly after: RawPlace; readonly until: RawPlace },
): { readonly text: string; readonly values: Knex.ValueDict } {
  const { appId, query } = requested;
  const { bind, values } = bindings();
  const kind = rawKindOf(query.type);
  const columnOf = (key: PropertyKey): RawColumn => rawColumn(key, kind, clock, bind);
  const columns = query.properties.map((key) => columnOf(knownProperty(key)));
  const filters = query.filters.map((filter) => ({ filter, column: columnOf(knownProperty(filter.dimension)) }));
  const context = { schema, masked };
  const joins = [...new Set([...columns, ...filters.map(({ column }) => column)].map(({ reads }) => reads))].map(
    (read) => (read === null ? "" : joinOf(read, context)),
  );
  const conditions = [...conditionsOf(kind, requested, bind), ...isBetween(instants, bind)];
  const { tables, view, isBoth, order } = exportView({ kind, appId, after, until, conditions }, context, bind);
  const passes = filters.map(({ filter, column }) => filterCondition(column.text, filter, bind));
  const text = `with ${[...maskedTables({ ...context, report: { appId }, bind }), ...tables].join(", ")}
    select ${columns.map(({ text }, index) => `${text} as c${index}`).join(", ")}
    from ${view}
    ${joins.join(" ")}
    where ${[isBoth, ...passes].join(" and ")}
    order by ${order}`;
  return { text, values };
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

/** Pages are limited to the ends of the range; this leaves out the instants between several ranges. */
function isBetween(instants: readonly InstantRange[], bind: Bind): readonly string[] {
  if (instants.length <= 1) return [];
  const instant = (at: number): string => `${bind(new Date(at).toISOString())}::timestamptz`;
  const each = instants.map(({ from, before }) => `fact.at >= ${instant(from)} and fact.at < ${instant(before)}`);
  return [`(${each.join(" or ")})`];
}

function joinOf(dimension: NonNullable<RawColumn["reads"]>, context: ViewContext): string {
  if (dimension !== "touch") return dimensionJoin(dimension, context.schema);
  return `left join ${touchpointView(context, "fact", "touchpoint_id")}`;
}
