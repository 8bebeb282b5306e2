import { isIP } from "node:net";
import type { Request } from "express";
import { normalIpAddress } from "../../../domain/values/ip-address.ts";

/**
 * Address of the client in its normal form, behind trusted proxies the one that they forward. The connection's if a proxy
 * forwards something else than an address; null when unknown.
 */
export function clientAddress(request: Request): string | null {
  const named = request.ip ?? "";
  const address = isIP(named) === 0 ? request.socket.remoteAddress : named;
  return address === undefined ? null : normalIpAddress(address);
}

/** The key of address limits: an IPv4 address, or the /64 of an IPv6 one, which is what a subscriber is assigned. */
export function networkOf(address: string | null): string {
  if (address === null || !address.includes(":")) return address ?? "unknown";
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.replace(/\d+\.[\d.]+$/, "0:0").split(":");
  const zeros = new Array(tail === undefined ? 0 : 8 - groups.length - after.length).fill("0");
  const prefix = [...groups, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}
