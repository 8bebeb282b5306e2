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

/** What an address limit counts: an IPv4 address, or the /64 of an IPv6 one, which is what one subscriber gets. */
export function networkOf(address: string | null): string {
  if (address === null || !address.includes(":")) return address ?? "unknown";
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.replace(/\d+\.[\d.]+$/, "0:0").split(":");
  const zeros = new Array(tail === undefined ? 0 : 8 - groups.length - after.length).fill("0");
  const prefix = [...groups, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}
