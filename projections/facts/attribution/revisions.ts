import type { Candidate } from "../../../domain/attribution/candidates.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import { type LateTouchpoint, type Outcome, revisionsDue } from "../../../domain/attribution/revisions.ts";
import { itemsByKey } from "../../../domain/items-by-key.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { ReadModel } from "../../projection.ts";
import { eventKey, eventKeyColumns } from "../app-events/app-events.ts";
import { sourcesOf } from "../dimensions/dimensions.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { Reopened } from "./late-touchpoints.ts";
import { type OpenTarget, type TargetRow, targetFrom, targetSelection } from "./target-events.ts";

interface OutcomeRow extends Reopened {
  readonly from: bigint;
  readonly kind: TouchpointKind | null;
  readonly matchedBy: MatchType;
  readonly wonAt: string;
}

/** A row of `late_touchpoints`. */
interface StoredLate extends Reopened, LateTouchpoint {
  readonly isOpen: boolean;
}

const lateColumns: Columns<StoredLate> = {
  ...eventKeyColumns,
  touchpoint_id: { type: "uuid", of: ({ touchpointId }) => touchpointId },
  is_open: { type: "boolean", of: ({ isOpen }) => isOpen },
};

/**
 * Opens the late touchpoints of target events for which a revision is due (contract/attribution.md#revisions), and closes
 * the others. The result depends only on what is stored, not on the order in which touchpoint, decision and revisions
 * were applied.
 */
export async function openDueRevisions(pipeline: StatementPipeline, targets: readonly Reopened[]): Promise<void> {
  if (targets.length === 0) return;
  const distinct = [...new Map(targets.map((target) => [keyOf(target), target])).values()];
  const late = itemsByKey(await lateTouchpointsOf(pipeline, distinct), keyOf);
  if (late.size === 0) return;
  const withLate = distinct.filter((target) => late.has(keyOf(target)));
  const outcomes = itemsByKey(await outcomesOf(pipeline, withLate), keyOf);
  const changed: StoredLate[] = [];
  for (const [key, stored] of late) {
    const due = new Set(revisionsDue((outcomes.get(key) ?? []).map(outcomeFrom), stored));
    for (const touchpoint of stored) {
      const isOpen = due.has(touchpoint);
      if (isOpen !== touchpoint.isOpen) changed.push({ ...touchpoint, isOpen });
    }
  }
  if (changed.length > 0) await updateOpen(pipeline, changed);
}

function keyOf({ appId, eventId }: Reopened): string {
  return eventKey(appId, eventId);
}

async function lateTouchpointsOf(
  { schema, run }: StatementPipeline,
  targets: readonly Reopened[],
): Promise<readonly StoredLate[]> {
  const { text, values } = unnest(targets, eventKeyColumns, "requested");
  const rows = await run<Omit<StoredLate, "at"> & { readonly at: Date }>(
    // The offset makes the planner use one index scan per target event.
    `select late.app_id as "appId", late.event_id as "eventId", touchpoint_id as "touchpointId", position, at, kind,
            matched_by as "matchedBy", is_open as "isOpen"
     from ${text}
     cross join lateral (
       select *
       from ${schema}.late_touchpoints as stored
       where stored.app_id = requested.app_id and stored.event_id = requested.event_id
       offset 0
     ) as late`,
    values,
  );
  return rows.map(({ at, ...row }) => ({ ...row, at: at.getTime() }));
}

function outcomesOf({ schema, run }: StatementPipeline, targets: readonly Reopened[]): Promise<readonly OutcomeRow[]> {
  const { text, values } = unnest(targets, eventKeyColumns, "requested");
  return run<OutcomeRow>(
    `select app_id as "appId", event_id as "eventId", from_position as from, touchpoint_kind as kind,
            matched_by as "matchedBy", decision -> 'winner' ->> 'at' as "wonAt"
     from ${text}
     join ${schema}.decisions using (app_id, event_id)`,
    values,
  );
}

async function updateOpen({ schema, run }: StatementPipeline, late: readonly StoredLate[]): Promise<void> {
  const { text, values } = unnest(late, lateColumns, "changed");
  await run(
    `update ${schema}.late_touchpoints as stored
     set is_open = changed.is_open
     from ${text}
     where stored.app_id = changed.app_id
       and stored.event_id = changed.event_id
       and stored.touchpoint_id = changed.touchpoint_id`,
    values,
  );
}

function outcomeFrom({ from, kind, matchedBy, wonAt }: OutcomeRow): Outcome {
  return { from, winner: kind === null ? null : { kind, matchedBy, at: Date.parse(wonAt) } };
}

/** A late touchpoint that beats the winner of a target event, not recorded as a revision yet (contract/attribution.md#revisions). */
export interface OpenRevision {
  readonly target: OpenTarget;
  readonly late: Candidate;
}

interface OpenRevisionRow extends TargetRow {
  readonly late_touchpoint_id: string;
  readonly late_position: bigint;
  readonly late_at: Date;
  readonly late_kind: TouchpointKind;
  readonly late_matched_by: MatchType;
  readonly late_human: boolean;
  readonly late_source_key: bigint;
  readonly late_device_key: string | null;
  readonly late_gaid_key: bigint | null;
  readonly late_idfa_key: bigint | null;
  readonly late_idfv_key: bigint | null;
}

/** The oldest `max` revisions that are due, in the order of the late touchpoints' positions. */
export async function openRevisions(readModel: ReadModel, max: number): Promise<readonly OpenRevision[]> {
  const { db, schema } = readModel;
  const { rows }: { rows: readonly OpenRevisionRow[] } = await db.raw(
    `select ${targetSelection},
            late.touchpoint_id as late_touchpoint_id, late.position as late_position, late.at as late_at,
            late.kind as late_kind, late.matched_by as late_matched_by, touchpoint.human as late_human,
            touchpoint.source_key as late_source_key, touchpoint.device_key as late_device_key,
            touchpoint.gaid_key as late_gaid_key, touchpoint.idfa_key as late_idfa_key,
            touchpoint.idfv_key as late_idfv_key
     from ${schema}.late_touchpoints as late
     join ${schema}.targets as target using (app_id, event_id)
     join ${schema}.touchpoints as touchpoint
       on touchpoint.app_id = late.app_id and touchpoint.touchpoint_id = late.touchpoint_id
     where late.is_open
     order by late.position, late.app_id, late.event_id
     limit ?`,
    [max],
  );
  const sources = await sourcesOf(
    readModel,
    rows.map(({ appId, late_source_key }) => ({ appId, key: late_source_key })),
  );
  return rows.map(
    ({
      late_touchpoint_id: touchpointId,
      late_position: position,
      late_at: at,
      late_kind: kind,
      late_matched_by: matchedBy,
      late_human: human,
      late_source_key: sourceKey,
      late_device_key: deviceKey,
      late_gaid_key: gaidKey,
      late_idfa_key: idfaKey,
      late_idfv_key: idfvKey,
      ...target
    }) => {
      const source = sources.get(`${target.appId} ${sourceKey}`);
      if (source === undefined) throw new Error(`Source ${sourceKey} is not stored`);
      const identifiers = { deviceKey, gaidKey, idfaKey, idfvKey };
      const late = { touchpointId, kind, at: at.getTime(), position, matchedBy, human, source, ...identifiers };
      return { target: targetFrom(target), late };
    },
  );
}
