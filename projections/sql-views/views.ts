import { rawExportProperties } from "../../domain/raw-exports/properties.ts";
import { type GroupByKey, groupBys } from "../../domain/reporting/catalogue/group-bys.ts";
import { inForce } from "../in-force.ts";
import type { SchemaName } from "../projection.ts";
import type { FactKind } from "../reports/facts/fact-kinds.ts";
import { type Dimension, dimensionJoin, groupByColumns } from "../reports/facts/group-by-columns.ts";
import { factTable } from "../reports/masking/fact-view.ts";
import { isShown, shownTables } from "../reports/masking/sql-view-masking.ts";

/** The schema of the views (contract/sql.md). */
export const viewSchema = "touchledger_views";

/** A column besides the group-bys of reports: its SQL, and its comment in the database. */
interface OwnColumn {
  readonly text: string;
  readonly comment: string;
}

interface ViewSpec {
  readonly comment: string;
  /** Whose group-bys are columns, under their names. */
  readonly kind: FactKind;
  readonly columns: { readonly [name: string]: OwnColumn };
  /** `fact`, and further joins, for a `from`. */
  rows(schema: SchemaName): string;
  readonly conditions: readonly string[];
}

/** The schemas of the generations that the views read. */
export interface ViewedGenerations {
  readonly facts: SchemaName;
  readonly apps: SchemaName;
}

const column = (text: string, comment: string): OwnColumn => ({ text, comment });

const time = {
  event_time: column("fact.at", "When it happened"),
  event_date: column("fact.local_date", "On which date of the app's time zone"),
};
/** The touchpoint of an event; one that is withheld on its own date is not joined, even if the event is shown. */
const touchpointColumns = {
  touchpoint_id: column("touch.touchpoint_id", "The touchpoint that it is attributed to"),
  touchpoint_time: column("touch.at", "When that touchpoint happened"),
  match_type: column("case when touch.touchpoint_id is not null then fact.matched_by end", "How it was found"),
};
const uploaded = {
  event_date: time.event_date,
  upload_id: column("fact.request_id", "The upload that the row is of"),
  upload_row: column("fact.row", "Its row in the file; the header is row 1"),
};

const joinTouchpoint = (schema: SchemaName): string => `left join (
      ${factTable("touchpoints", { schema })} as touch
      join ${schema}.sources as touch_source using (app_id, source_key)
    ) on touch.app_id = fact.app_id and touch.touchpoint_id = fact.touchpoint_id and ${isShown("touch", "touch_source.channel")}`;

const isInForce = `fact.to_position = ${inForce}`;

/** The views, by name. They exclude all facts that reports withhold (contract/reports.md#masking). */
export const sqlViews: { readonly [name: string]: ViewSpec } = {
  touchpoints: {
    comment: "Clicks and impressions of people; those of bots are left out",
    kind: "touchpoints",
    columns: {
      touchpoint_id: column("fact.touchpoint_id", "Its id"),
      ...time,
      user_id: column("fact.device_key", "The device, as reports count it"),
    },
    rows: (schema) => `${factTable("touchpoints", { schema })} as fact`,
    conditions: ["fact.human"],
  },
  app_events: {
    comment: "App events, with what they are attributed to now",
    kind: "appEvents",
    columns: {
      event_id: column("fact.event_id", "Its id"),
      ...time,
      user_id: column("fact.device_key", "The device, as reports count it"),
      event_value: column("fact.value", "Its value, in currency"),
      event_action: column("detail.action", "Its action"),
      event_label: column("detail.label", "Its label"),
      event_properties: column("detail.properties::json", "Its properties, as they were sent"),
      ...touchpointColumns,
    },
    rows: (schema) => `${factTable("appEvents", { schema })} as fact
    left join ${schema}.app_event_details as detail
      on detail.app_id = fact.app_id and detail.at = fact.at and detail.event_id = fact.event_id
    ${joinTouchpoint(schema)}`,
    conditions: [isInForce],
  },
  attributions: {
    comment: "The decision in force on every target event",
    kind: "appEvents",
    columns: {
      event_id: column("fact.event_id", "The target event"),
      ...time,
      user_id: column("fact.device_key", "The device, as reports count it"),
      ...touchpointColumns,
      window_ends_at: column(
        "case when touch.touchpoint_id is not null then fact.window_ends_at end",
        "When the attribution window of its winner ends",
      ),
      is_revised: column("fact.late_touchpoint_id is not null", "Whether a late touchpoint has changed the winner"),
      decided_at_position: column("fact.from_position", "Log position from which the decision counts"),
    },
    rows: (schema) => `(
      select event.app_id, event.event_id, event.at, event.local_date, event.local_hour, event.source, event.category,
             event.device_key, event.client_key, event.currency, event.is_first_of_device, event.is_first_of_user,
             decision.source_key, decision.touchpoint_id, decision.touchpoint_kind, decision.matched_by,
             decision.window_ends_at, decision.late_touchpoint_id, decision.from_position
      from ${schema}.decisions as decision
      join ${factTable("appEvents", { schema })} as event using (app_id, event_id)
      where event.to_position = ${inForce}
        and not exists (
          select from ${schema}.decisions as later
          where later.app_id = decision.app_id and later.event_id = decision.event_id
            and later.from_position > decision.from_position
        )
    ) as fact
    ${joinTouchpoint(schema)}`,
    conditions: [],
  },
  spend: {
    comment: "Uploaded ad spend, the rows in force",
    kind: "spend",
    columns: {
      ...uploaded,
      impressions: column("fact.impressions", "Impressions"),
      clicks: column("fact.clicks", "Clicks"),
      cost: column("fact.cost", "Cost, in currency"),
    },
    rows: (schema) => `${factTable("spend", { schema })} as fact`,
    conditions: [
      isInForce,
      "fact.from_position is not null",
      "(fact.impressions <> 0 or fact.clicks <> 0 or fact.cost <> 0)",
    ],
  },
  metrics: {
    comment: "Uploaded metrics, the rows in force",
    kind: "uploadedMetrics",
    columns: { ...uploaded, event_value: column("fact.event_value", "The value, in currency where there is one") },
    rows: (schema) => `${factTable("uploadedMetrics", { schema })} as fact`,
    conditions: [isInForce, "fact.from_position is not null", "fact.event_value <> 0"],
  },
};

/** The columns of a view, in order, with their SQL and comments. */
function columnsOf({
  columns,
  kind,
}: ViewSpec): readonly (OwnColumn & { readonly name: string; readonly reads?: Dimension | null })[] {
  const keys = (Object.keys(groupByColumns) as GroupByKey[]).filter((key) => {
    const { reads, text } = groupByColumns[key][kind];
    return reads !== "day" && text !== "null" && !Object.hasOwn(columns, key);
  });
  return [
    { name: "app", ...column("app.name", "The app's name") },
    ...Object.entries(columns).map(([name, own]) => ({ name, ...own })),
    ...keys.map((key) => {
      const { reads, text } = groupByColumns[key][kind];
      return { name: key, text: `(${text})::${typeOf(key)}`, comment: groupBys[key].description.en, reads };
    }),
  ];
}

function typeOf(key: string): string {
  const type = (rawExportProperties as { readonly [key: string]: string })[key];
  return key === "event_hour" ? "smallint" : type === "boolean" ? "boolean" : type === "integer" ? "bigint" : "text";
}

/**
 * The query of a view.
 * @param clock an instant, in SQL
 */
export function viewQuery(spec: ViewSpec, { facts, apps }: ViewedGenerations, clock: string): string {
  const isAboutUsers = spec.kind === "touchpoints" || spec.kind === "appEvents";
  const columns = columnsOf(spec);
  const read = new Set(columns.map(({ reads }) => reads));
  const joins = (["source", "client"] as const).filter((dimension) => read.has(dimension));
  const conditions = [...spec.conditions, ...(isAboutUsers ? [isShown("fact", "source.channel")] : [])];
  return `${isAboutUsers ? `with ${shownTables(facts, clock).join(", ")}` : ""}
    select ${columns.map(({ name, text }) => `${text} as ${name}`).join(", ")}
    from ${spec.rows(facts)}
    join ${apps}.apps as app on app.app_id = fact.app_id
    ${joins.map((dimension) => dimensionJoin(dimension, facts)).join(" ")}
    where ${conditions.join(" and ")}`;
}

/** The statements that create each view of these generations, by its name, with comments on their columns. */
export function viewStatements(generations: ViewedGenerations): ReadonlyMap<string, readonly string[]> {
  const statementsOf = (name: string, spec: ViewSpec): readonly string[] => [
    // A barrier: functions in a reader's conditions never see the rows that the view leaves out.
    `create or replace view ${viewSchema}.${name} with (security_barrier) as ${viewQuery(spec, generations, "clock_timestamp()")}`,
    `comment on view ${viewSchema}.${name} is ${literal(spec.comment)}`,
    ...columnsOf(spec).map((of) => `comment on column ${viewSchema}.${name}.${of.name} is ${literal(of.comment)}`),
  ];
  return new Map(Object.entries(sqlViews).map(([name, spec]) => [name, statementsOf(name, spec)]));
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
