import type { RawExportQuery, RawExportType } from "../../../domain/raw-exports/events.ts";
import { rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import type { ReadModel } from "../../../projections/projection.ts";
import { rawRows } from "../../../projections/raw-exports/rows.ts";
import type { RawExportAt, RawPlace } from "../../../projections/raw-exports/statement.ts";

export const everyProperty = Object.keys(rawExportProperties);

/** Everything of March 1 in Seoul, ten days later. */
const anExport: RawExportAt = {
  appId: 1,
  timezone: "Asia/Seoul",
  query: {
    type: "app",
    start: "2026-03-01 00:00:00",
    end: "2026-03-01 23:59:59",
    events: ["app_install", "app_order_complete"],
    properties: ["event_id"],
    filters: [],
  },
  position: 10n ** 15n,
  now: new Date("2026-03-11T00:00:00Z"),
};

export function exportOf(query: Partial<RawExportQuery>, changes: Partial<RawExportAt> = {}): RawExportAt {
  return { ...anExport, ...changes, query: { ...anExport.query, ...query } };
}

/** Every event that an export of a type can name among those of these tests. */
export function everyEvent(type: RawExportType): readonly string[] {
  if (type === "tracking-link") return ["impression", "click"];
  return [
    "app_install",
    "app_open",
    "app_deeplink_open",
    "app_order_complete",
    "app_order_cancel",
    "app_subscribe",
    "custom:level_up",
  ];
}

/** The cells of all rows, "" where they are empty. */
export async function cellsOf(
  facts: ReadModel,
  requested: RawExportAt,
  after: RawPlace | null = null,
): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const page of rawRows(async () => facts, requested, after)) {
    rows.push(...page.rows.map((row) => row.map((cell) => cell ?? "")));
  }
  return rows;
}

/** The rows as records by property. */
export async function recordsOf(
  facts: ReadModel,
  requested: RawExportAt,
): Promise<readonly { readonly [property: string]: string }[]> {
  const { properties } = requested.query;
  return (await cellsOf(facts, requested)).map((row) =>
    Object.fromEntries(properties.map((key, index) => [key, row[index] ?? ""])),
  );
}
