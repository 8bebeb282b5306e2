import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** The host has no address that may be called. */
export class BlockedAddress extends Error {
  override readonly name = "BlockedAddress";
}

/** The host has no address. */
export class NameNotFound extends Error {
  override readonly name = "NameNotFound";
}

/** The addresses of a host, public or not; none when it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** A `lookup` function for connections, which returns only addresses that were checked. */
export function checkedLookup(resolve: ResolveHost, allowsPrivate: boolean): LookupFunction {
  const addressesOf = async (hostname: string): Promise<readonly [HostAddress, ...HostAddress[]]> => {
    const found = await resolve(hostname);
    if (found.length === 0) throw new NameNotFound(`${hostname} has no address`);
    const [first, ...others] = found
      .filter((address) => allowsPrivate || isPublicAddress(address))
      .map((address) => ({ address, family: isIP(address) }));
    if (first === undefined) throw new BlockedAddress(`${hostname} has no public address`);
    return [first, ...others];
  };
  return (hostname, { all }, callback) => {
    addressesOf(hostname).then(
      ([first, ...others]) => {
        if (all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (failure: NodeJS.ErrnoException) => callback(failure, []),
    );
  };
}

interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/**
 * Queries name servers itself, as `dns.lookup` blocks one of the few threads that file access needs too.
 * @param usesHostsFile whether names of the hosts file, and those that a search domain completes, are found as well
 */
export function createResolveHost(usesHostsFile: boolean): ResolveHost {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    const ipv4 = resolver.resolve4(hostname).catch(() => []);
    const ipv6 = resolver.resolve6(hostname).catch(() => []);
    const found = [...(await ipv4), ...(await ipv6)];
    if (found.length > 0 || !usesHostsFile) return found;
    return (await lookup(hostname, { all: true }).catch(() => [])).map(({ address }) => address);
  };
}
