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

/** Rows of one day and campaign each, with texts that make them fill several chunks. */
export function longAdSpendFile(rows: number, letters: number): string {
  const campaign = (index: number): string => `campaign ${index} `.padEnd(letters, "x");
  return adSpendFile(
    ...Array.from({ length: rows }, (_, index) => `2026-03-31,partner,${campaign(index)},${index},1,0.25`),
  );
}
