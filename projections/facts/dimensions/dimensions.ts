import type { DeviceDescription } from "../../../domain/app-events/events.ts";
import type { TouchpointSource } from "../../../domain/touchpoints/events.ts";
import {
  campaignFields,
  campaignKeys,
  publisherFields,
  publisherKeys,
} from "../../../domain/values/campaign-params.ts";
import { cachedHashKey } from "../../hash-key.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

/** A dimension's values, and the key that facts hold of them. */
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
  const columns = columnsOf("source_key", sourceValues);
  return store(pipeline, "sources", distinct(sources), {
    ...columns,
    tracking_link_id: { type: "bigint", of: ({ value }) => value.trackingLinkId },
  });
}

export function storeClients(
  pipeline: StatementPipeline,
  clients: Iterable<Dimension<DeviceDescription>>,
): Promise<void> {
  return store(pipeline, "clients", distinct(clients), columnsOf("client_key", clientValues));
}

async function store<Row>(
  { schema, run }: StatementPipeline,
  table: "sources" | "clients",
  rows: readonly Row[],
  columns: Columns<Row>,
): Promise<void> {
  if (rows.length === 0) return;
  const { text, names, values } = unnest(rows, columns, "dimension");
  await run(`insert into ${schema}.${table} (${names}) select ${names} from ${text} on conflict do nothing`, values);
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
