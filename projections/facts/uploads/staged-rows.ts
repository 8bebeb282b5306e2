import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { MetricRow, MetricRowsStaged, SpendRow, SpendRowsStaged } from "../../../domain/uploads/events.ts";
import {
  type CampaignKey,
  campaignFields,
  publisherFields,
  publisherKeys,
} from "../../../domain/values/campaign-params.ts";
import { cachedHashKey } from "../../hash-key.ts";
import type { TableWriter } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

/** A row of a file, and whose. */
interface Staged<Row> {
  readonly appId: number;
  readonly requestId: string;
  readonly row: Row;
}

const commonColumns: Columns<Staged<SpendRow | MetricRow>> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  request_id: { type: "uuid", of: ({ requestId }) => requestId },
  row: { type: "integer", of: ({ row }) => row.row },
  local_date: { type: "date", of: ({ row }) => row.date },
  channel: { type: "text", of: ({ row }) => row.channel },
  channel_type: { type: "text", of: ({ row }) => row.channelType },
  country: { type: "text", of: ({ row }) => row.country ?? null },
  os_name: { type: "text", of: ({ row }) => row.osName ?? null },
  currency: { type: "text", of: ({ row }) => row.currency ?? null },
  ...Object.fromEntries(
    publisherKeys.map((key) => [
      key,
      { type: "text", of: ({ row }: Staged<SpendRow | MetricRow>) => row.publisher[publisherFields[key]] ?? null },
    ]),
  ),
};

const spendColumns: Columns<Staged<SpendRow>> = {
  ...commonColumns,
  ...campaignColumns([
    "campaign",
    "campaign_id",
    "ad_group",
    "ad_group_id",
    "ad_creative",
    "ad_creative_id",
    "content",
    "term",
    "term_id",
  ]),
  overwrite_key: {
    type: "bigint",
    of: ({ row: { date, channel, campaignParams } }) => overwriteKey(date, channel, campaignParams.campaign),
  },
  ad_account: { type: "text", of: ({ row }) => row.adAccount ?? null },
  ad_account_id: { type: "text", of: ({ row }) => row.adAccountId ?? null },
  impressions: { type: "bigint", of: ({ row }) => row.impressions },
  clicks: { type: "bigint", of: ({ row }) => row.clicks },
  cost: { type: "numeric", of: ({ row }) => row.cost },
};

const metricColumns: Columns<Staged<MetricRow>> = {
  ...commonColumns,
  ...campaignColumns(["campaign", "ad_group", "ad_creative", "content", "term"]),
  overwrite_key: {
    type: "bigint",
    of: ({ row: { date, channel, eventCategory } }) => overwriteKey(date, channel, eventCategory),
  },
  event_category: { type: "text", of: ({ row }) => row.eventCategory },
  event_value: { type: "numeric", of: ({ row }) => row.eventValue },
  event_source: { type: "text", of: ({ row }) => row.eventSource ?? null },
  is_first_event_per_device_id: { type: "boolean", of: ({ row }) => row.isFirstEventPerDeviceId ?? null },
  is_first_event_per_user_id: { type: "boolean", of: ({ row }) => row.isFirstEventPerUserId ?? null },
};

/** Stores rows of spend, in no report yet. One that is stored already stays as it is. */
export function stageSpend(writer: TableWriter, events: readonly RecordedEvent<SpendRowsStaged>[]): Promise<void> {
  return stage(writer, "spend", spendColumns, events);
}

/** Stores rows of uploaded metrics, in no report yet. One that is stored already stays as it is. */
export function stageMetrics(writer: TableWriter, events: readonly RecordedEvent<MetricRowsStaged>[]): Promise<void> {
  return stage(writer, "uploaded_metrics", metricColumns, events);
}

async function stage<Row>(
  { schema, run }: TableWriter,
  table: "spend" | "uploaded_metrics",
  columns: Columns<Staged<Row>>,
  events: readonly RecordedEvent<{
    readonly type: string;
    readonly data: { readonly appId: number; readonly requestId: string; readonly rows: readonly Row[] };
  }>[],
): Promise<void> {
  await Promise.all(
    // A statement per chunk, which holds thousands of rows: more in one would only cost memory.
    events.map(({ data: { appId, requestId, rows } }) => {
      const staged = rows.map((row) => ({ appId, requestId, row }));
      const { text, names, values } = unnest(staged, columns, "staged");
      return run(
        `insert into ${schema}.${table} (${names}) select ${names} from ${text} on conflict do nothing`,
        values,
      );
    }),
  );
}

function overwriteKey(...texts: readonly string[]): bigint {
  return cachedHashKey(`overwrite:${JSON.stringify(texts)}`);
}

function campaignColumns(keys: readonly CampaignKey[]): Columns<Staged<SpendRow | MetricRow>> {
  return Object.fromEntries(
    keys.map((key) => [key, { type: "text", of: ({ row }) => row.campaignParams[campaignFields[key]] ?? null }]),
  );
}
