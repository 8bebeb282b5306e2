import type { ChannelType } from "../../../domain/channels/events.ts";
import type { TouchpointSource } from "../../../domain/touchpoints/events.ts";
import type { Reengagement } from "../../../domain/tracking-links/events.ts";
import {
  campaignFields,
  campaignKeys,
  publisherFields,
  publisherKeys,
} from "../../../domain/values/campaign-params.ts";
import type { ReadModel } from "../../projection.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

interface SourceReference {
  readonly appId: number;
  readonly key: bigint | string;
}

interface SourceRow {
  readonly app_id: number;
  readonly source_key: bigint | string;
  readonly channel: string;
  readonly channel_type: ChannelType;
  readonly tracking_link_id: bigint | string | null;
  readonly is_reengagement: Reengagement;
  readonly [campaignOrPublisherKey: string]: unknown;
}

const columns: Columns<SourceReference> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  source_key: { type: "bigint", of: ({ key }) => key },
};

/** What touchpoints recorded as their source, by `<app id> <source key>`. */
export async function sourcesOf(
  { db, schema }: ReadModel,
  references: readonly SourceReference[],
): Promise<ReadonlyMap<string, TouchpointSource>> {
  const distinct = new Map(references.map((reference) => [`${reference.appId} ${reference.key}`, reference]));
  if (distinct.size === 0) return new Map();
  const { text, values } = unnest([...distinct.values()], columns, "asked");
  const { rows }: { rows: readonly SourceRow[] } = await db.raw(
    `select source.* from ${text} join ${schema}.sources as source using (app_id, source_key)`,
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
