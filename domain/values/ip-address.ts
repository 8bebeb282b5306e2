const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * One spelling for one address, so that both sides of a match compare as text (contract/attribution.md#candidates):
 * IPv4 also where it came as `::ffff:1.2.3.4`, IPv6 compressed and in lower case. What is no address stays as it is.
 */
export function normalIpAddress(text: string): string {
  const ipv4 = mappedIpv4.exec(text)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!text.includes(":")) return text;
  const address = `http://[${text}]/`;
  return URL.canParse(address) ? new URL(address).hostname.slice(1, -1) : text;
}
