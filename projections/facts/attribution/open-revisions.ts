import type { Candidate } from "../../../domain/attribution/candidate.ts";
import type { MatchType } from "../../../domain/attribution/events.ts";
import type { TouchpointKind } from "../../../domain/touchpoints/events.ts";
import type { ReadModel } from "../../projection.ts";
import { sourcesOf } from "./stored-sources.ts";
import { type OpenTarget, type TargetRow, targetFrom } from "./stored-targets.ts";

/**
 * A target event that a late touchpoint takes from its winner, without a revision that says so yet
 * (contract/attribution.md#revisions).
 */
export interface OpenRevision {
  readonly target: OpenTarget;
  readonly late: Candidate;
}

interface OpenRevisionRow extends TargetRow {
  readonly late_touchpoint_id: string;
  readonly late_position: bigint | string;
  readonly late_at: Date;
  readonly late_kind: TouchpointKind;
  readonly late_matched_by: MatchType;
  readonly late_human: boolean;
  readonly late_source_key: bigint | string;
  readonly late_device_key: string | null;
  readonly late_gaid_key: bigint | null;
  readonly late_idfa_key: bigint | null;
  readonly late_idfv_key: bigint | null;
}

/** The oldest `most` revisions that are due, in the order of the late touchpoints' positions. */
export async function openRevisions(readModel: ReadModel, most: number): Promise<readonly OpenRevision[]> {
  const { db, schema } = readModel;
  const { rows }: { rows: readonly OpenRevisionRow[] } = await db.raw(
    `select target.*, late.touchpoint_id as late_touchpoint_id, late.position as late_position, late.at as late_at,
       late.kind as late_kind, late.matched_by as late_matched_by, touchpoint.human as late_human,
       touchpoint.source_key as late_source_key, touchpoint.device_key as late_device_key,
       touchpoint.gaid_key as late_gaid_key, touchpoint.idfa_key as late_idfa_key, touchpoint.idfv_key as late_idfv_key
     from ${schema}.late_touchpoints as late
     join ${schema}.targets as target using (app_id, event_id)
     join ${schema}.touchpoints as touchpoint
       on touchpoint.app_id = late.app_id and touchpoint.touchpoint_id = late.touchpoint_id
     where late.is_open
     order by late.position, late.app_id, late.event_id
     limit ?`,
    [most],
  );
  const sources = await sourcesOf(
    readModel,
    rows.map(({ app_id, late_source_key }) => ({ appId: app_id, key: late_source_key })),
  );
  return rows.map((row) => {
    const source = sources.get(`${row.app_id} ${row.late_source_key}`);
    if (source === undefined) throw new Error(`Source ${row.late_source_key} is not stored`);
    return {
      target: targetFrom(row),
      late: {
        touchpointId: row.late_touchpoint_id,
        kind: row.late_kind,
        at: row.late_at.getTime(),
        position: BigInt(row.late_position),
        matchedBy: row.late_matched_by,
        human: row.late_human,
        source,
        deviceKey: row.late_device_key,
        gaidKey: row.late_gaid_key,
        idfaKey: row.late_idfa_key,
        idfvKey: row.late_idfv_key,
      },
    };
  });
}
