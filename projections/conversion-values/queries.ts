import type { ConversionModel } from "../../domain/conversion-values/events.ts";
import type { Actor } from "../../domain/event.ts";
import type { ReadModel } from "../projection.ts";

/** Who published a version, when, and from which log position on it was in force. */
export interface Published {
  readonly fromPosition: bigint;
  readonly at: Date;
  readonly actor: Actor;
  readonly requestId: string;
}

export interface ModelVersion extends Published {
  readonly version: number;
  readonly model: ConversionModel;
}

export interface PartnerMapping extends Published {
  readonly channel: string;
  readonly events: { readonly [eventName: string]: string };
}

/** The model of an app that was in force at a log position; null before the first. */
export async function conversionModelAt(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint,
): Promise<ModelVersion | null> {
  const { rows } = await db.raw<{ rows: readonly ModelVersion[] }>(
    `select version, model, from_position as "fromPosition", published_at as "at", actor, request_id as "requestId"
     from ${schema}.models
     where app_id = :appId and from_position <= :position and :position < to_position`,
    { appId, position: position.toString() },
  );
  return rows[0] ?? null;
}

/** The mappings of an app's channels that were in force at a log position, by channel. */
export async function partnerEventsAt(
  { db, schema }: ReadModel,
  appId: number,
  position: bigint,
): Promise<readonly PartnerMapping[]> {
  const { rows } = await db.raw<{ rows: readonly PartnerMapping[] }>(
    `select channel, events, from_position as "fromPosition", mapped_at as "at", actor, request_id as "requestId"
     from ${schema}.partner_events
     where app_id = :appId and from_position <= :position and :position < to_position
     order by channel collate "C"`,
    { appId, position: position.toString() },
  );
  return rows;
}
