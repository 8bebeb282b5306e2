/** A JSON object of members that are JSON text already. */
export function jsonObject(members: ReadonlyMap<string, string> | { readonly [key: string]: string }): string {
  const entries = members instanceof Map ? [...members] : Object.entries(members);
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

/** A JSON array of items that are JSON text already. */
export function jsonArray(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}
