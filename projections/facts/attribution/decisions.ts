import type { AttributionEvent } from "../../../domain/attribution/events.ts";
import type { Attribution } from "../../../domain/attribution/label-versions.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { TouchpointSource } from "../../../domain/touchpoints/events.ts";
import { eventKey } from "../app-events/app-events.ts";
import { type Dimension, sourceOf, storeSources } from "../dimensions/dimensions.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, storableJson, unnest } from "../sql/unnest.ts";

/** A decision with a winner, on a target event of one device. */
export interface DeviceAttribution extends Attribution {
  readonly appId: number;
  readonly deviceKey: string;
}

interface DecisionRow {
  readonly data: AttributionEvent["data"];
  readonly at: number;
  readonly windowEndsAt: number;
  readonly source: Dimension<TouchpointSource> | null;
}

const columns: Columns<DecisionRow> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  event_id: { type: "uuid", of: ({ data }) => data.eventId },
  device_key: { type: "uuid", of: ({ data }) => data.deviceKey },
  at: { type: "timestamptz", of: ({ data }) => data.at },
  window_ends_at: { type: "timestamptz", of: ({ windowEndsAt }) => new Date(windowEndsAt).toISOString() },
  source_key: { type: "bigint", of: ({ source }) => source?.key ?? null },
  touchpoint_id: { type: "uuid", of: ({ data }) => data.winner?.touchpointId ?? null },
  touchpoint_kind: { type: "text", of: ({ data }) => data.winner?.kind ?? null },
  matched_by: { type: "text", of: ({ data }) => data.winner?.matchedBy ?? null },
  late_touchpoint_id: { type: "uuid", of: ({ data }) => lateTouchpointOf(data) },
  decision: { type: "jsonb", of: ({ data }) => storableJson(data) },
};

/**
 * Stores new decisions and revisions, removes their target events from the to-do list, and returns those with a winner.
 * A decision whose target event or late touchpoint is not stored has no position, which the table refuses: it is parked.
 */
export async function storeDecisions(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<AttributionEvent>[],
): Promise<readonly DeviceAttribution[]> {
  if (events.length === 0) return [];
  const rows = new Map<string, DecisionRow>();
  for (const { data } of events) {
    const key = decisionKey(data.appId, data.eventId, lateTouchpointOf(data));
    if (!rows.has(key)) rows.set(key, rowOf(data));
  }
  const positions = await insertDecisions(pipeline, [...rows.values()]);
  const attributions: DeviceAttribution[] = [];
  const sources: Dimension<TouchpointSource>[] = [];
  for (const [key, { data, at, windowEndsAt, source }] of rows) {
    const stored = positions.get(key);
    if (stored === undefined || data.winner === null || source === null) continue;
    const { touchpointId, kind, matchedBy } = data.winner;
    const label = { at, ...stored, sourceKey: source.key, touchpointId, touchpointKind: kind, matchedBy };
    attributions.push({ appId: data.appId, deviceKey: data.deviceKey, eventId: data.eventId, label, windowEndsAt });
    sources.push(source);
  }
  await storeSources(pipeline, sources);
  return attributions;
}

function rowOf(data: AttributionEvent["data"]): DecisionRow {
  const at = Date.parse(data.at);
  return {
    data,
    at,
    windowEndsAt: at + data.rules.attributionWindow * 1000,
    source: data.winner === null ? null : sourceOf(data.appId, data.winner.source),
  };
}

interface Positions {
  /** Position of the target event. */
  readonly position: bigint;
  /** Position from which the decision takes effect. */
  readonly from: bigint;
}

/** Inserts the decisions that are not stored yet; returns their positions. */
async function insertDecisions(
  { schema, run }: StatementPipeline,
  rows: readonly DecisionRow[],
): Promise<ReadonlyMap<string, Positions>> {
  const { text, names, values } = unnest(rows, columns, "decision");
  const stored = await run<StoredRow>(
    `with decision as materialized (
       select *
       from ${text}
     ), closed as (
       delete from ${schema}.open_targets as target
       using decision
       where target.app_id = decision.app_id and target.event_id = decision.event_id
     )
     insert into ${schema}.decisions (${names}, target_position, from_position)
     select decision.*,
            target.position,
            case
              when decision.late_touchpoint_id is null then target.position
              else (
                select position
                from ${schema}.touchpoints as late
                where late.app_id = decision.app_id and late.touchpoint_id = decision.late_touchpoint_id
              )
            end
     from decision
     -- The limit makes the planner use one index scan per decision.
     left join lateral (
       select position
       from ${schema}.targets as target
       where target.app_id = decision.app_id and target.event_id = decision.event_id
       limit 1
     ) as target on true
     on conflict do nothing
     returning app_id, event_id, late_touchpoint_id, target_position, from_position`,
    values,
  );
  return new Map(
    stored.map(({ app_id, event_id, late_touchpoint_id, target_position, from_position }) => [
      decisionKey(app_id, event_id, late_touchpoint_id),
      { position: target_position, from: from_position },
    ]),
  );
}

interface StoredRow {
  readonly app_id: number;
  readonly event_id: string;
  readonly late_touchpoint_id: string | null;
  readonly target_position: bigint;
  readonly from_position: bigint;
}

function lateTouchpointOf(data: AttributionEvent["data"]): string | null {
  return "lateTouchpointId" in data ? data.lateTouchpointId : null;
}

function decisionKey(appId: number, eventId: string, lateTouchpointId: string | null): string {
  return `${eventKey(appId, eventId)} ${lateTouchpointId ?? ""}`;
}
