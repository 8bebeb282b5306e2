/** Files as advertisers send them. */

/** An ad spend file; rows are `date,channel,campaign,impressions,clicks,cost` in dollars. */
export function adSpendFile(...rows: readonly string[]): string {
  return ["date,channel,campaign,impressions,clicks,cost,currency", ...rows.map((row) => `${row},USD`), ""].join(
    "\r\n",
  );
}

/** A metric file; rows are `date,channel,event_category,event_value`. */
export function metricFile(...rows: readonly string[]): string {
  return ["date,channel,event_category,event_value", ...rows, ""].join("\n");
}

/** Optional columns that both files have, each filled to the brim: few rows make several chunks then. */
const optional = ["ad_group", "ad_creative", "term", "sub_publisher", "sub_sub_publisher_1", "sub_sub_publisher_2"];
const brim = (index: number): string => optional.map((column) => `${column} ${index} `.padEnd(256, "x")).join(",");

/** Wide rows of one campaign; their costs are 1, 2, 3 and so on. */
export function fullAdSpendFile(campaign: string, rows: number): string {
  const head = `date,channel,campaign,impressions,clicks,currency,${optional},cost`;
  return [head, ...filled(rows, (index) => `2026-03-31,partner,${campaign},1,1,USD,${brim(index)},${index}`)].join(
    "\n",
  );
}

/** Wide rows of one metric; their values are 1, 2, 3 and so on. */
export function fullMetricFile(category: string, rows: number): string {
  const head = `date,channel,event_category,${optional},event_value`;
  return [head, ...filled(rows, (index) => `2026-03-31,partner,${category},${brim(index)},${index}`)].join("\n");
}

function filled(rows: number, row: (index: number) => string): readonly string[] {
  return Array.from({ length: rows }, (_, index) => row(index + 1));
}
