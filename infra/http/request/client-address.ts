import { isIP } from "node:net";
import type { Request } from "express";

/**
 * Address of the client, behind trusted proxies the one that they name; IPv4 without `::ffff:`. The connection's when what a
 * proxy forwards is no address; null when unknown.
 */
export function clientAddress(request: Request): string | null {
  const named = request.ip ?? "";
  const address = isIP(named) === 0 ? request.socket.remoteAddress : named;
  if (address === undefined) return null;
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
