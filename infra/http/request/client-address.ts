import type { Request } from "express";

/** Address of the client, behind trusted proxies the one that they name; IPv4 without `::ffff:`. Null when unknown. */
export function clientAddress(request: Request): string | null {
  const address = request.ip;
  if (address === undefined || address === "") return null;
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
