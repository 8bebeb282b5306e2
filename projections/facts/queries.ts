import { defaultRules } from "../../domain/attribution/default-rules.ts";
import type { AttributionEvent, AttributionRules } from "../../domain/attribution/events.ts";
import type { ReadModel } from "../projection.ts";
import { rulesInForce } from "./attribution/rules.ts";
import { type OpenTarget, type TargetRow, targetFrom } from "./attribution/stored-targets.ts";
import { inForce } from "./table.ts";

/** Target events without a decision at positions above `after`, oldest first, at most `most`. */
export async function openTargets(
  { db, schema }: ReadModel,
  after: bigint,
  most: number,
): Promise<readonly OpenTarget[]> {
  const { rows }: { rows: readonly TargetRow[] } = await db.raw(
    `select target.*
     from ${schema}.open_targets as open
     join ${schema}.targets as target using (app_id, event_id)
     where open.position > ?
     order by open.position
     limit ?`,
    [after.toString(), most],
  );
  return rows.map(targetFrom);
}

/**
 * Whether the app has target events at or below a position that no decision is stored of, or that a touchpoint at or
 * below it takes from their winner without a revision being stored (contract/attribution.md#revisions): reports wait
 * for them.
 */
export async function hasUndecidedTargets(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint,
): Promise<boolean> {
  const { rows }: { rows: readonly { readonly is_there: boolean }[] } = await db.raw(
    `select exists (select from ${schema}.open_targets where app_id = :appId and position <= :position)
       or exists (select from ${schema}.late_touchpoints where is_open and app_id = :appId and position <= :position)
       as is_there`,
    { appId, position: position.toString() },
  );
  return rows[0]?.is_there ?? false;
}

export interface StoredDecision {
  /** As it was recorded. */
  readonly decision: AttributionEvent["data"];
  /** Where it takes effect: at the target event's position, a revision at that of the late touchpoint. */
  readonly position: bigint;
}

/** What is known of an event's attribution. */
export type StoredAttribution =
  | {
      readonly outcome: "decided";
      /** The decision in force. */
      readonly latest: StoredDecision;
      /** Those that it has revised, the latest of them first. */
      readonly former: readonly StoredDecision[];
    }
  | { readonly outcome: "undecided" }
  /** There is no such target event. */
  | { readonly outcome: "unknown" };

/** The attribution of one target event (contract/attribution.md#decisions). */
export async function attributionOf(
  { db, schema }: ReadModel,
  appId: number,
  eventId: string,
): Promise<StoredAttribution> {
  const { rows }: { rows: readonly StoredAttributionRow[] } = await db.raw(
    `select decision, from_position
     from ${schema}.targets
     left join ${schema}.decisions using (app_id, event_id)
     where app_id = ? and event_id = ?
     order by from_position desc`,
    [appId, eventId],
  );
  if (rows.length === 0) return { outcome: "unknown" };
  const [latest, ...former] = rows.flatMap(({ decision, from_position }) =>
    decision === null || from_position === null ? [] : [{ decision, position: BigInt(from_position) }],
  );
  return latest === undefined ? { outcome: "undecided" } : { outcome: "decided", latest, former };
}

interface StoredAttributionRow {
  readonly decision: AttributionEvent["data"] | null;
  readonly from_position: bigint | string | null;
}

/**
 * The rules that an app's target events are decided with from now on (contract/administration.md#attribution-rules).
 */
export async function attributionRulesOf(readModel: ReadModel, appId: number): Promise<AttributionRules> {
  const [rules = defaultRules] = await rulesInForce(readModel, [{ appId, position: inForce - 1n }]);
  return rules;
}

const ever = 9_223_372_036_854_775_807n;

/** The metrics that an app has uploaded up to a position, by name, archived as they are now. */
export async function uploadedCategories(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint = ever,
): Promise<readonly { readonly eventCategory: string; readonly archived: boolean }[]> {
  const { rows }: { rows: readonly { readonly event_category: string; readonly archived: boolean }[] } = await db.raw(
    `select event_category, archived from ${schema}.uploaded_categories
     where app_id = ? and first_position <= ?::bigint
     order by event_category collate "C"`,
    [appId, position.toString()],
  );
  return rows.map(({ event_category, archived }) => ({ eventCategory: event_category, archived }));
}
