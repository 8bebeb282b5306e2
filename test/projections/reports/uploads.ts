import type { Knex } from "knex";
import { inForce } from "../../../projections/in-force.ts";
import { insertRows } from "./insert-rows.ts";

interface Upload {
  readonly appId: number;
  /** The first log position that it is in force at; null: staged only. */
  readonly from: number | null;
  /** The first log position that it is not in force at any more; null: none. */
  readonly to: number | null;
  readonly date: string;
  readonly channel: string;
  readonly channel_type: string;
  readonly ad_group: string | null;
  readonly sub_publisher: string | null;
  readonly country: string | null;
  readonly os_name: string | null;
  /** Further columns. */
  readonly more?: { readonly [column: string]: string };
}

/** A row of an ad spend upload. */
export interface Spend extends Upload {
  readonly campaign: string;
  readonly campaign_id: string | null;
  readonly currency: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly cents: number;
}

/** A row of a metric upload. */
export interface UploadedMetric extends Upload {
  readonly campaign: string | null;
  readonly event_category: string;
  readonly event_source: string | null;
  /** Hundredths. */
  readonly cents: number;
  /** Null: a plain number. */
  readonly currency: string | null;
  readonly is_first_event_per_device_id: boolean | null;
  readonly is_first_event_per_user_id: boolean | null;
}

/** Units of a currency for one base. */
export interface Rate {
  readonly date: string;
  readonly base: string;
  readonly currency: string;
  readonly rate: string;
  readonly from: number;
  readonly to: number | null;
}

/** A metric that an app has uploaded. */
interface UploadedCategory {
  readonly appId: number;
  readonly category: string;
  readonly archived: boolean;
}

export interface Uploads {
  readonly spend: readonly Spend[];
  readonly uploadedMetrics: readonly UploadedMetric[];
  readonly rates: readonly Rate[];
  readonly categories: readonly UploadedCategory[];
}

export const noUploads: Uploads = { spend: [], uploadedMetrics: [], rates: [], categories: [] };

/** Fills the tables of what is uploaded, each row as an upload of its own. */
export async function writeUploads(
  trx: Knex.Transaction,
  schema: string,
  { spend, uploadedMetrics, rates, categories }: Uploads,
): Promise<void> {
  const insert = (table: string, rows: readonly object[]) => insertRows(trx, `${schema}.${table}`, rows);
  await insert(
    "spend",
    spend.map(({ cents, ...row }, index) => ({ ...stored(row, index), cost: decimal(cents) })),
  );
  await insert(
    "uploaded_metrics",
    uploadedMetrics.map(({ cents, ...row }, index) => ({ ...stored(row, index), event_value: decimal(cents) })),
  );
  await insert(
    "exchange_rates",
    rates.map(({ from, to, ...row }) => ({ ...row, from_position: from, to_position: to ?? inForce.toString() })),
  );
  await insert(
    "uploaded_categories",
    categories.map(({ appId, category, archived }) => {
      return { app_id: appId, event_category: category, first_position: 1, archived };
    }),
  );
}

function stored<Row extends Pick<Upload, "appId" | "from" | "to" | "date" | "more">>(
  { appId, from, to, date, more, ...columns }: Row,
  index: number,
): object {
  return {
    app_id: appId,
    request_id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    row: 2,
    from_position: from,
    to_position: to ?? inForce.toString(),
    local_date: date,
    ...columns,
    ...more,
  };
}

function decimal(cents: number): string {
  return (cents / 100).toFixed(2);
}
