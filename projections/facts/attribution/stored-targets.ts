import type { TargetCategory } from "../../../domain/attribution/events.ts";
import type { TargetEvent } from "../../../domain/attribution/target-event.ts";

/** A target event with all that it can be matched by. */
export interface OpenTarget extends TargetEvent {
  readonly clickId: string | null;
  readonly ipKey: bigint | null;
  readonly os: string | null;
  readonly osVersion: string | null;
}

/** A row of `targets`. */
export interface TargetRow {
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

export function targetFrom(row: TargetRow): OpenTarget {
  return {
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
  };
}
