import { defaultRules } from "../../domain/attribution/default-rules.ts";
import type { AttributionEvent, AttributionRules } from "../../domain/attribution/events.ts";
import type { LocalDate } from "../../domain/values/local-time.ts";
import { traceOfStored } from "../../domain/values/trace-context.ts";
import { inForce } from "../in-force.ts";
import type { ListPage, PageQuery } from "../list-page.ts";
import type { ReadModel } from "../projection.ts";
import { rulesInForce } from "./attribution/attribution-rules.ts";
import { type OpenTargetEvent, type TargetRow, targetFrom, targetSelection } from "./attribution/target-events.ts";

/** Target events without a decision at positions above `after`, oldest first, at most `max`. */
export async function openTargets(
  { db, schema }: ReadModel,
  after: bigint,
  max: number,
): Promise<readonly OpenTargetEvent[]> {
  const { rows }: { rows: readonly (TargetRow & { readonly trace: string | null })[] } = await db.raw(
    `select ${targetSelection}, open.trace
     from ${schema}.open_targets as open
     join ${schema}.targets as target using (app_id, event_id)
     where open.position > ?
     order by open.position
     limit ?`,
    [after.toString(), max],
  );
  return rows.map(({ trace, ...row }) => ({ ...targetFrom(row), trace: traceOfStored(trace) }));
}

/**
 * Whether the app has target events at or below a position without a stored decision, or late touchpoints at or below it
 * that beat a winner without a stored revision (contract/attribution.md#revisions). Reports wait for them.
 */
export async function hasUndecidedTargets(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint,
): Promise<boolean> {
  const { rows }: { rows: readonly { readonly is_open: boolean }[] } = await db.raw(
    `select exists (
       select
       from ${schema}.open_targets
       where app_id = :appId and position <= :position
     ) or exists (
       select
       from ${schema}.late_touchpoints
       where is_open and app_id = :appId and position <= :position
     ) as is_open`,
    { appId, position: position.toString() },
  );
  return rows[0]?.is_open ?? false;
}

export interface StoredDecision {
  /** As it was recorded. */
  readonly decision: AttributionEvent["data"];
  /** From where it takes effect: the target event's position, for a revision the late touchpoint's. */
  readonly position: bigint;
}

/** The attribution of an app event, as far as it is stored. */
export type StoredAttribution =
  | {
      readonly outcome: "decided";
      /** The decision in force. */
      readonly latest: StoredDecision;
      /** Earlier decisions, latest first. */
      readonly former: readonly StoredDecision[];
    }
  | { readonly outcome: "undecided" }
  /** The app has no such target event. */
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
    decision === null || from_position === null ? [] : [{ decision, position: from_position }],
  );
  return latest === undefined ? { outcome: "undecided" } : { outcome: "decided", latest, former };
}

/** The decision in force on a target event, as it was recorded; without the earlier ones. */
export async function decisionInForce(
  { db, schema }: ReadModel,
  appId: number,
  eventId: string,
): Promise<AttributionEvent["data"] | "undecided" | "unknown"> {
  const { rows }: { rows: readonly Pick<StoredAttributionRow, "decision">[] } = await db.raw(
    `select decision
     from ${schema}.targets
     left join ${schema}.decisions using (app_id, event_id)
     where app_id = ? and event_id = ?
     order by from_position desc
     limit 1`,
    [appId, eventId],
  );
  const [row] = rows;
  return row === undefined ? "unknown" : (row.decision ?? "undecided");
}

/** Where the log has a touchpoint; null for an unknown one. */
export async function touchpointPosition(
  { db, schema }: ReadModel,
  appId: number,
  touchpointId: string,
): Promise<bigint | null> {
  const { rows }: { rows: readonly { readonly position: bigint }[] } = await db.raw(
    `select position from ${schema}.touchpoints where app_id = ? and touchpoint_id = ?`,
    [appId, touchpointId],
  );
  return rows[0]?.position ?? null;
}

interface StoredAttributionRow {
  readonly decision: AttributionEvent["data"] | null;
  readonly from_position: bigint | null;
}

/** The decision in force on a target event of a device. */
export interface DeviceDecision {
  /** As it was recorded. */
  readonly decision: AttributionEvent["data"];
  /** From where it takes effect. */
  readonly position: bigint;
  /** How many decisions it replaced. */
  readonly revisions: number;
}

/** A page of the decided target events of a device, the newest first (contract/attribution.md#device). */
export async function decisionsOfDevice(
  { db, schema }: ReadModel,
  appId: number,
  deviceKey: string,
  page: PageQuery,
): Promise<ListPage<DeviceDecision>> {
  type Row = Omit<DeviceDecision, "decision"> & { readonly decision: DeviceDecision["decision"] | null };
  const { rows } = await db.raw<{ rows: readonly (Row & { readonly total: bigint })[] }>(
    `with latest as (
       select distinct on (event_id) event_id, at, decision, from_position as position,
         (count(*) over (partition by event_id) - 1)::integer as revisions
       from ${schema}.decisions
       where app_id = :appId and device_key = :deviceKey
       order by event_id, from_position desc
     )
     select counted.total, page.decision, page.position, page.revisions
     from (select count(*) as total from latest) as counted
     left join (select * from latest order by at desc, event_id desc offset :skip limit :size) as page on true
     order by page.at desc, page.event_id desc`,
    { appId, deviceKey, ...page },
  );
  return {
    rows: rows.flatMap(({ decision, position, revisions }) =>
      decision === null ? [] : [{ decision, position, revisions }],
    ),
    totalCount: Number(rows[0]?.total ?? 0),
  };
}

/**
 * The rules by which new target events of an app are decided (contract/administration.md#attribution-rules).
 */
export async function attributionRulesOf(readModel: ReadModel, appId: number): Promise<AttributionRules> {
  const [rules = defaultRules] = await rulesInForce(readModel, [{ appId, position: inForce - 1n }]);
  return rules;
}

/** The metrics that an app has uploaded up to a position, by name, and whether they are archived now. */
export async function uploadedCategories(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint = inForce,
): Promise<readonly { readonly eventCategory: string; readonly archived: boolean }[]> {
  const { rows }: { rows: readonly { readonly event_category: string; readonly archived: boolean }[] } = await db.raw(
    `select event_category, archived
     from ${schema}.uploaded_categories
     where app_id = ? and first_position <= ?::bigint
     order by event_category collate "C"`,
    [appId, position.toString()],
  );
  return rows.map(({ event_category, archived }) => ({ eventCategory: event_category, archived }));
}

/** The rates of a date as they are now. */
export interface RatesRow {
  readonly date: LocalDate;
  readonly base: string;
  /** Units of each currency for one `base`. */
  readonly rates: { readonly [currency: string]: number };
  /** Of the event that set them. */
  readonly position: bigint;
}

export interface RatesList extends PageQuery {
  /** Both inclusive; null: without an end. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
}

/** A page of the dates that have exchange rates, the newest first (contract/administration.md#exchange-rates). */
export async function listExchangeRates({ db, schema }: ReadModel, list: RatesList): Promise<ListPage<RatesRow>> {
  const { rows } = await db.raw<{ rows: readonly (RatesRow & { readonly total: bigint })[] }>(
    `with dated as (
       select distinct date, base, from_position as position
       from ${schema}.exchange_rates
       where to_position = :inForce
         and date between coalesce(:from::date, '-infinity') and coalesce(:to::date, 'infinity')
     ), page as (
       select * from dated order by date desc offset :skip limit :size
     )
     select counted.total, page.date, page.base, page.position, of_date.rates
     from (select count(*) as total from dated) as counted
     left join page on true
     left join lateral (
       select json_object_agg(currency, rate order by currency collate "C") as rates
       from ${schema}.exchange_rates as stored
       where stored.date = page.date and stored.to_position = :inForce and stored.currency <> page.base
     ) as of_date on true
     order by page.date desc`,
    { ...list, inForce: inForce.toString() },
  );
  return {
    rows: rows.flatMap(({ total: _total, ...row }) => (row.date === null ? [] : [row])),
    totalCount: Number(rows[0]?.total ?? 0),
  };
}
