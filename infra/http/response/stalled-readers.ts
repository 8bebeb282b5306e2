import type { ServerResponse } from "node:http";

const defaultMaxStallMs = 30_000;

/**
 * Closes the connection of a client that stops reading its response (contract/limits.md#sizes). A client that has read
 * all there is, and waits for this server, is not closed.
 */
export function cutStalledReader(response: ServerResponse, maxStallMs = defaultMaxStallMs): void {
  response.setTimeout(maxStallMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}
