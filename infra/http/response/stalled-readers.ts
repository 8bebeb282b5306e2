import type { ServerResponse } from "node:http";

const defaultMaxStallMs = 30_000;

/** Closes the connection of a client that stops reading its response (contract/limits.md#sizes). */
export function cutStalledReader(response: ServerResponse, maxStallMs = defaultMaxStallMs): void {
  response.setTimeout(maxStallMs, () => response.destroy());
}
