import type { Reply } from "../../infra/http/routing/route.ts";

const itemsPerPiece = 100;

/** A JSON object of members that are JSON text already. */
export function jsonObject(members: ReadonlyMap<string, string> | { readonly [key: string]: string }): string {
  const entries = members instanceof Map ? [...members] : Object.entries(members);
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

/** A JSON array of items that are JSON text already. */
export function jsonArray(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

/** A reply of JSON text in pieces. */
export function streamedJson(pieces: AsyncIterable<string>): Reply {
  return { kind: "streamed", pieces, mediaType: "application/json; charset=utf-8" };
}

/** The items of a JSON array with commas between them, in pieces of several items that are made one at a time. */
export function* jsonItems<Item>(items: readonly Item[], textOf: (item: Item) => string): Generator<string> {
  for (let from = 0; from < items.length; from += itemsPerPiece) {
    yield `${from === 0 ? "" : ","}${items
      .slice(from, from + itemsPerPiece)
      .map(textOf)
      .join(",")}`;
  }
}
