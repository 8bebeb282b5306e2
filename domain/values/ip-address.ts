import { parsedUrl } from "./url.ts";

const mappedIpv4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The normal form of an address, so that matching can compare texts (contract/attribution.md#candidates): compressed
 * lower-case IPv6, and IPv4 for one that is mapped to IPv6, as `::ffff:1.2.3.4` or `::ffff:102:304`. Other text is
 * returned unchanged.
 */
export function normalIpAddress(text: string): string {
  const normal = text.includes(":") ? parsedUrl(`http://[${text}]/`)?.hostname.slice(1, -1) : undefined;
  if (normal === undefined) return text;
  const [, high, low] = mappedIpv4.exec(normal) ?? [];
  if (high === undefined || low === undefined) return normal;
  return [high, low].map(bytesOf).join(".");
}

/** The two bytes of four hexadecimal digits, with a dot between them. */
function bytesOf(digits: string): string {
  const value = Number.parseInt(digits, 16);
  return `${value >> 8}.${value & 255}`;
}
