import { isTargetCategory, type TargetEvent } from "../../../domain/attribution/target-event.ts";
import { storedTrace, type TraceContext } from "../../../domain/values/trace-context.ts";
import { cachedHashKey } from "../../hash-key.ts";
import type { AppEventFact } from "../app-events/app-events.ts";
import { type KnownApps, saltOf } from "../dimensions/apps.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, insertRows, unnest } from "../sql/unnest.ts";
import { type IdentifierKeys, identifierColumns, identifierKeysOf } from "../touchpoints/identifier-keys.ts";

/** A target event with everything that it can be matched by. */
export interface OpenTarget extends TargetEvent {
  readonly clickId: string | null;
  readonly ipKey: bigint | null;
  readonly os: string | null;
  readonly osVersion: string | null;
}

/** A target event on the to-do list. */
export interface OpenTargetEvent extends OpenTarget {
  /** The trace that recorded it (contract/http.md#traces). */
  readonly trace: TraceContext | undefined;
}

/** The columns of `targets` as {@link targetFrom} reads them. */
export const targetSelection = `
  target.app_id as "appId", target.event_id as "eventId", target.position, target.at, target.category,
  target.device_key as "deviceKey", target.click_id as "clickId", target.gaid_key as "gaidKey",
  target.idfa_key as "idfaKey", target.idfv_key as "idfvKey", target.ip_key as "ipKey", target.os,
  target.os_version as "osVersion"`;

export type TargetRow = Omit<OpenTarget, "at"> & { readonly at: Date };

export function targetFrom({ at, ...row }: TargetRow): OpenTarget {
  return { ...row, at: at.getTime() };
}

interface NewTarget extends IdentifierKeys {
  readonly fact: AppEventFact;
}

const targetColumns: Columns<NewTarget> = {
  app_id: { type: "integer", of: ({ fact }) => fact.appId },
  event_id: { type: "uuid", of: ({ fact }) => fact.eventId },
  position: { type: "bigint", of: ({ fact }) => fact.position },
  at: { type: "timestamptz", of: ({ fact }) => fact.event.data.at },
  category: { type: "text", of: ({ fact }) => fact.category },
  device_key: { type: "uuid", of: ({ fact }) => fact.deviceKey },
  click_id: { type: "uuid", of: ({ fact }) => fact.event.data.clickId },
  ...identifierColumns,
  os: { type: "text", of: ({ fact }) => fact.event.data.device.os ?? null },
  os_version: { type: "text", of: ({ fact }) => fact.event.data.device.osVersion ?? null },
};
const targetNames = Object.keys(targetColumns).join(", ");

const openColumns: Columns<NewTarget> = {
  ...targetColumns,
  trace: { type: "text", of: ({ fact }) => storedTrace(fact.event.metadata) },
};

interface TargetKey {
  readonly fact: AppEventFact;
  readonly key: bigint;
}

const targetKeyColumns: Columns<TargetKey> = {
  app_id: { type: "integer", of: ({ fact }) => fact.appId },
  key: { type: "bigint", of: ({ key }) => key },
  at: { type: "timestamptz", of: ({ fact }) => fact.event.data.at },
  position: { type: "bigint", of: ({ fact }) => fact.position },
  event_id: { type: "uuid", of: ({ fact }) => fact.eventId },
};

/**
 * Stores new target events (contract/attribution.md#target-events), each with a row in the attribution reactor's to-do
 * list. An install also gets a row in the to-do list of feature vectors.
 */
export async function storeTargets(
  pipeline: StatementPipeline,
  apps: KnownApps,
  facts: readonly AppEventFact[],
): Promise<void> {
  const { schema, run } = pipeline;
  const rows = facts
    .filter(({ category }) => isTargetCategory(category))
    .map((fact) => ({ fact, ...identifierKeysOf(fact.event.data.person, saltOf(apps, fact.appId)) }));
  if (rows.length === 0) return;
  const keys = rows.flatMap(({ fact, ...identifierKeys }) => {
    const { clickId, deviceKey, device } = fact.event.data;
    return targetKeysOf({ ...identifierKeys, clickId, deviceKey, os: device.os ?? null }).map((key) => ({ fact, key }));
  });
  const open = unnest(rows, openColumns, "open");
  await Promise.all([
    run(
      `with fresh as (
         select ${open.names}
         from ${open.text}
       ), target as (
         insert into ${schema}.targets (${targetNames})
         select ${targetNames}
         from fresh
       ), vector as (
         insert into ${schema}.open_vectors (app_id, event_id, position)
         select app_id, event_id, position
         from fresh
         where category = 'app_install'
       )
       insert into ${schema}.open_targets (app_id, event_id, position, trace)
       select app_id, event_id, position, trace
       from fresh`,
      open.values,
    ),
    insertRows(pipeline, "target_keys", keys, targetKeyColumns),
  ]);
}

/** What a touchpoint or a target event can be matched by; null when it has no such identifier. */
export interface Matchable extends IdentifierKeys {
  readonly clickId: string | null;
  readonly deviceKey: string | null;
  readonly os: string | null;
}

/**
 * One key for each identifier that can match (contract/attribution.md#candidates). Keys find candidates, whose
 * identifiers are then compared: matching pairs always share a key, others rarely. An address is combined with the
 * operating system, without which it matches nothing.
 */
export function targetKeysOf({ clickId, deviceKey, ipKey, os, ...keys }: Matchable): readonly bigint[] {
  const found = new Set<bigint>();
  for (const id of [clickId, deviceKey]) if (id !== null) found.add(keyOfUuid(id));
  for (const key of [keys.gaidKey, keys.idfaKey, keys.idfvKey]) if (key !== null) found.add(key);
  if (ipKey !== null && os !== null) found.add(ipKey ^ cachedHashKey(`os:${os}`));
  return [...found];
}

/** The exclusive or of the UUID's halves: a hash would take longer than everything else here. */
function keyOfUuid(id: string): bigint {
  const first = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}`);
  const last = BigInt(`0x${id.slice(19, 23)}${id.slice(24)}`);
  return BigInt.asIntN(64, first ^ last);
}
