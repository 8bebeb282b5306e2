import { BlockList, isIP } from "node:net";

/** Networks that are not the public internet (IANA special-purpose registries), and addresses that clouds serve metadata at. */
const special: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["168.63.129.16", 32],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** Of the public IPv6 addresses `2000::/3`; what lies outside is refused. */
const special6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const refused = new BlockList();
for (const [network, prefix] of special) refused.addSubnet(network, prefix, "ipv4");
const refused6 = new BlockList();
for (const [network, prefix] of special6) refused6.addSubnet(network, prefix, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/** The IPv4 address in one of IPv6: mapped (`::ffff:0:0/96`) or translated (`64:ff9b::/96`). */
const embedded = /^(?:::ffff:|64:ff9b::)(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/;

/** Whether an IP address is on the public internet (contract/webhooks.md#addresses). */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, "ipv4");
    case 6: {
      // A zone names an interface of this machine.
      if (address.includes("%")) return false;
      const normal = new URL(`http://[${address}]/`).hostname.slice(1, -1);
      const [isEmbedded, high = "0", low = "0"] = embedded.exec(normal) ?? [];
      if (isEmbedded !== undefined) return isPublicAddress(ipv4Of(Number.parseInt(high, 16), Number.parseInt(low, 16)));
      return global6.check(normal, "ipv6") && !refused6.check(normal, "ipv6");
    }
    default:
      return false;
  }
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The IP address that a URL names as its host; null for a name. */
export function literalAddress(hostname: string): string | null {
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) === 0 ? null : address;
}
