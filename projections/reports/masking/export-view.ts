import { sinceEpoch } from "../../facts/tables.ts";
import type { SchemaName } from "../../projection.ts";
import type { Bind } from "../query/bindings.ts";
import { unmaskedFacts, type ViewContext } from "./fact-view.ts";

/** Facts that are rows of raw exports. */
export type RawKind = "touchpoints" | "appEvents";

/** The tables of details that only exports read, and the id column of both tables of a kind. */
const detailTables: { readonly [kind in RawKind]: { readonly table: string; readonly id: string } } = {
  appEvents: { table: "app_event_details", id: "event_id" },
  touchpoints: { table: "touchpoint_details", id: "touchpoint_id" },
};

/** A place between facts, in their order: by event time, then by id. */
export interface FactPlace {
  /** ISO instant. */
  readonly at: string;
  readonly id: string;
}

/** The facts of an app between two places, `after` exclusive and `until` inclusive. */
interface FactsBetween {
  readonly kind: RawKind;
  readonly appId: number;
  readonly after: FactPlace;
  readonly until: FactPlace;
  /** A further condition, about `fact`. */
  readonly conditions: readonly string[];
}

/** `detail` and `fact` for the `with` of a statement, of unmasked facts, and the join and order of both. */
export function exportView({ kind, appId, after, until, conditions }: FactsBetween, context: ViewContext, bind: Bind) {
  const { table, id } = detailTables[kind];
  const isBetween = [
    `fact.app_id = ${bind(appId)}`,
    `${sinceEpoch} between ${bind(msOf(after))}::interval and ${bind(msOf(until))}::interval`,
    ...conditions,
  ];
  return {
    tables: [
      // Materialized, each is read by time: in one join the planner looks up every row, which is ten times slower.
      `detail as materialized (
      select * from ${context.schema}.${table}
      where app_id = ${bind(appId)} and at between ${bind(after.at)}::timestamptz and ${bind(until.at)}::timestamptz
        and (at, ${id}) > (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)
        and (at, ${id}) <= (${bind(until.at)}::timestamptz, ${bind(until.id)}::uuid)
    )`,
      `fact as materialized (
      select fact.*
      from ${unmaskedFacts(kind, context, isBetween.join(" and "))}
    )`,
    ],
    // A full join is never a nested loop, which the planner takes for facts that are newer than its statistics.
    view: `detail full join fact using (app_id, ${id})`,
    isBoth: `coalesce(detail.${id} = fact.${id}, false)`,
    order: `detail.at, detail.${id}`,
  };
}

/**
 * A statement that finds the end of a page of an app's facts, masked ones included: the place (`at`, `id`) `size` facts
 * after another, before an instant. No row if fewer follow.
 */
export function pageEnd(
  kind: RawKind,
  schema: SchemaName,
  page: { readonly appId: number; readonly after: FactPlace; readonly before: Date; readonly size: number },
) {
  const { table, id } = detailTables[kind];
  const text = `select at, ${id} as id
     from ${schema}.${table}
     where app_id = :appId
       and (at, ${id}) > (:at::timestamptz, :id::uuid)
       and at < :before::timestamptz
     order by at, ${id}
     offset :skipped
     limit 1`;
  const { appId, after, before, size } = page;
  return { text, values: { appId, ...after, before: before.toISOString(), skipped: size - 1 } };
}

function msOf({ at }: FactPlace): string {
  return `${Date.parse(at)} ms`;
}
