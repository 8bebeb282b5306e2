const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The normal form of an address, so that matching can compare texts (contract/attribution.md#candidates): IPv4 for
 * `::ffff:1.2.3.4`, compressed lower-case IPv6. Other text is returned unchanged.
 */
export function normalIpAddress(text: string): string {
  const ipv4 = mappedIpv4.exec(text)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!text.includes(":")) return text;
  const address = `http://[${text}]/`;
  return URL.canParse(address) ? new URL(address).hostname.slice(1, -1) : text;
}
