import { defaultRules } from "../../domain/attribution/default-rules.ts";
import type { AttributionDecided, AttributionRules, TargetCategory } from "../../domain/attribution/events.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import type { ReadModel } from "../projection.ts";
import { rulesInForce } from "./attribution-rules.ts";
import { inForce } from "./table.ts";

/** A target event that waits for its decision, with all that it can be matched by. */
export interface OpenTarget extends TargetEvent {
  readonly clickId: string | null;
  readonly ipKey: bigint | null;
  readonly os: string | null;
  readonly osVersion: string | null;
}

interface OpenTargetRow {
  readonly app_id: number;
  readonly event_id: string;
  readonly position: bigint | string;
  readonly at: Date;
  readonly category: TargetCategory;
  readonly device_key: string;
  readonly click_id: string | null;
  readonly gaid_key: bigint | null;
  readonly idfa_key: bigint | null;
  readonly idfv_key: bigint | null;
  readonly ip_key: bigint | null;
  readonly os: string | null;
  readonly os_version: string | null;
}

/** Target events without a decision at positions above `after`, oldest first, at most `most`. */
export async function openTargets(
  { db, schema }: ReadModel,
  after: bigint,
  most: number,
): Promise<readonly OpenTarget[]> {
  const { rows }: { rows: readonly OpenTargetRow[] } = await db.raw(
    `select * from ${schema}.open_targets where position > ? order by position limit ?`,
    [after.toString(), most],
  );
  return rows.map((row) => ({
    appId: row.app_id,
    eventId: row.event_id,
    position: BigInt(row.position),
    at: row.at.getTime(),
    category: row.category,
    deviceKey: row.device_key,
    clickId: row.click_id,
    gaidKey: row.gaid_key,
    idfaKey: row.idfa_key,
    idfvKey: row.idfv_key,
    ipKey: row.ip_key,
    os: row.os,
    osVersion: row.os_version,
  }));
}

/** Whether the app has target events at or below a position that no decision is stored of: reports wait for them. */
export async function hasUndecidedTargets(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint,
): Promise<boolean> {
  const { rows }: { rows: readonly { readonly is_there: boolean }[] } = await db.raw(
    `select exists (select from ${schema}.open_targets where app_id = ? and position <= ?) as is_there`,
    [appId, position.toString()],
  );
  return rows[0]?.is_there ?? false;
}

/** What is known of an event's attribution. */
export type StoredAttribution =
  | {
      readonly outcome: "decided";
      /** As the decision was recorded. */
      readonly decision: AttributionDecided["data"];
      /** Position of the target event: where the decision takes effect. */
      readonly position: bigint;
    }
  | { readonly outcome: "undecided" }
  /** There is no such target event. */
  | { readonly outcome: "unknown" };

/** The attribution of one target event (D6.4). */
export async function attributionOf(
  { db, schema }: ReadModel,
  appId: number,
  eventId: string,
): Promise<StoredAttribution> {
  const { rows }: { rows: readonly StoredAttributionRow[] } = await db.raw(
    `select decision, target_position from ${schema}.decisions where app_id = :appId and event_id = :eventId
     union all
     select null, position from ${schema}.open_targets where app_id = :appId and event_id = :eventId`,
    { appId, eventId },
  );
  const row = rows[0];
  if (row === undefined) return { outcome: "unknown" };
  if (row.decision === null) return { outcome: "undecided" };
  return { outcome: "decided", decision: row.decision, position: BigInt(row.target_position) };
}

interface StoredAttributionRow {
  readonly decision: AttributionDecided["data"] | null;
  readonly target_position: bigint | string;
}

/** The rules that an app's target events are decided with from now on (D3.5). */
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
