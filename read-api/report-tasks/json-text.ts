import type { StoredRow } from "../../projections/reports/results/stored-rows.ts";

/** A JSON object of members that are JSON text already. */
export function jsonObject(members: ReadonlyMap<string, string> | { readonly [key: string]: string }): string {
  const entries = members instanceof Map ? [...members] : Object.entries(members);
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

/** A JSON array of items that are JSON text already. */
export function jsonArray(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

/** A row as it was computed. */
export function computedRow<Row extends { readonly groupBys: StoredRow["groupBys"] }>({ groupBys, cells }: StoredRow) {
  return { groupBys, ...(JSON.parse(cells) as Omit<Row, "groupBys">) };
}
