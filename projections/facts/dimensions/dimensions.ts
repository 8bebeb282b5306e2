import type { DeviceDescription } from "../../../domain/app-events/events.ts";
import type { ChannelType } from "../../../domain/channels/events.ts";
import type { TouchpointSource } from "../../../domain/touchpoints/events.ts";
import type { Reengagement } from "../../../domain/tracking-links/events.ts";
import {
  campaignFields,
  campaignKeys,
  publisherFields,
  publisherKeys,
} from "../../../domain/values/campaign-params.ts";
import { cachedHashKey } from "../../hash-key.ts";
import type { ReadModel } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, insertRows, unnest } from "../sql/unnest.ts";

/** A row of a dimension table, with the key by which facts refer to it. */
export interface Dimension<Value> {
  readonly appId: number;
  readonly key: bigint;
  readonly value: Value;
}

type Values<Value> = { readonly [column: string]: (value: Value) => string | number | null };

const sourceValues: Values<TouchpointSource> = {
  channel: ({ channel }) => channel,
  channel_type: ({ channelType }) => channelType,
  tracking_link_id: ({ trackingLinkId }) => trackingLinkId,
  is_reengagement: ({ isReengagement }) => isReengagement,
  ...Object.fromEntries(
    campaignKeys.map((key) => [key, (source: TouchpointSource) => source.campaignParams[campaignFields[key]] ?? null]),
  ),
  ...Object.fromEntries(
    publisherKeys.map((key) => [key, (source: TouchpointSource) => source.publisher[publisherFields[key]] ?? null]),
  ),
};

const clientValues: Values<DeviceDescription> = {
  os_name: ({ os }) => os ?? null,
  os_version: ({ osVersion }) => osVersion ?? null,
  app_version: ({ appVersion }) => appVersion ?? null,
  country: ({ country }) => country ?? null,
  language: ({ language }) => language ?? null,
  device_model: ({ model }) => model ?? null,
  device_manufacturer: ({ manufacturer }) => manufacturer ?? null,
  device_type: ({ type }) => type ?? null,
};

export function sourceOf(appId: number, source: TouchpointSource): Dimension<TouchpointSource> {
  return { appId, key: keyOf("source", sourceValues, source), value: source };
}

export function clientOf(appId: number, device: DeviceDescription): Dimension<DeviceDescription> {
  return { appId, key: keyOf("client", clientValues, device), value: device };
}

export function storeSources(
  pipeline: StatementPipeline,
  sources: Iterable<Dimension<TouchpointSource>>,
): Promise<void> {
  const columns: Columns<Dimension<TouchpointSource>> = {
    ...columnsOf("source_key", sourceValues),
    tracking_link_id: { type: "bigint", of: ({ value }) => value.trackingLinkId },
  };
  return insertRows(pipeline, "sources", distinct(sources), columns, "on conflict do nothing");
}

export function storeClients(
  pipeline: StatementPipeline,
  clients: Iterable<Dimension<DeviceDescription>>,
): Promise<void> {
  return insertRows(
    pipeline,
    "clients",
    distinct(clients),
    columnsOf("client_key", clientValues),
    "on conflict do nothing",
  );
}

function keyOf<Value>(kind: string, values: Values<Value>, value: Value): bigint {
  return cachedHashKey(`${kind}:${JSON.stringify(Object.values(values).map((read) => read(value)))}`);
}

function columnsOf<Value>(keyColumn: string, values: Values<Value>): Columns<Dimension<Value>> {
  return {
    app_id: { type: "integer", of: ({ appId }) => appId },
    [keyColumn]: { type: "bigint", of: ({ key }) => key },
    ...Object.fromEntries(
      Object.entries(values).map(([name, read]) => [
        name,
        { type: "text", of: ({ value }: Dimension<Value>) => read(value) } as const,
      ]),
    ),
  };
}

function distinct<Value>(dimensions: Iterable<Dimension<Value>>): readonly Dimension<Value>[] {
  const byKey = new Map<string, Dimension<Value>>();
  for (const dimension of dimensions) byKey.set(`${dimension.appId} ${dimension.key}`, dimension);
  return [...byKey.values()];
}

interface SourceReference {
  readonly appId: number;
  readonly key: bigint;
}

interface SourceRow {
  readonly app_id: number;
  readonly source_key: bigint;
  readonly channel: string;
  readonly channel_type: ChannelType;
  readonly tracking_link_id: bigint | null;
  readonly is_reengagement: Reengagement;
  readonly [campaignOrPublisherKey: string]: unknown;
}

const referenceColumns: Columns<SourceReference> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  source_key: { type: "bigint", of: ({ key }) => key },
};

/** The sources of touchpoints, by `<app id> <source key>`. */
export async function sourcesOf(
  { db, schema }: ReadModel,
  references: readonly SourceReference[],
): Promise<ReadonlyMap<string, TouchpointSource>> {
  const distinct = new Map(references.map((reference) => [`${reference.appId} ${reference.key}`, reference]));
  if (distinct.size === 0) return new Map();
  const { text, values } = unnest([...distinct.values()], referenceColumns, "requested");
  const { rows }: { rows: readonly SourceRow[] } = await db.raw(
    `select source.*
     from ${text}
     join ${schema}.sources as source using (app_id, source_key)`,
    [...values],
  );
  return new Map(rows.map((row) => [`${row.app_id} ${row.source_key}`, sourceFrom(row)]));
}

function sourceFrom(row: SourceRow): TouchpointSource {
  return {
    channel: row.channel,
    channelType: row.channel_type,
    trackingLinkId: row.tracking_link_id === null ? null : Number(row.tracking_link_id),
    isReengagement: row.is_reengagement,
    campaignParams: present(row, campaignKeys, campaignFields),
    publisher: present(row, publisherKeys, publisherFields),
  };
}

function present<Key extends string, Field extends string>(
  row: { readonly [column: string]: unknown },
  keys: readonly Key[],
  fields: { readonly [key in Key]: Field },
): { readonly [field in Field]?: string } {
  const values: { [field in Field]?: string } = {};
  for (const key of keys) {
    const value = row[key];
    if (typeof value === "string") values[fields[key]] = value;
  }
  return values;
}
