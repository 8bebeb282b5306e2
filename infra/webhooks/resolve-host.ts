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

const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * What a connection looks the name of its host up with: it gets addresses that were checked, and connects to one of
 * them. Names are asked for by `Resolver`, as `dns.lookup` blocks a thread that the disk needs too.
 */
export function checkedLookup(allowsPrivate: boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(hostname, allowsPrivate).then(
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
 * The addresses of a host that may be called.
 * @throws {BlockedAddress} {@link NameNotFound}
 */
async function addressesOf(
  hostname: string,
  allowsPrivate: boolean,
): Promise<readonly [HostAddress, ...HostAddress[]]> {
  const found = (await Promise.all([resolved("resolve4", hostname), resolved("resolve6", hostname)])).flat();
  if (found.length === 0 && allowsPrivate) {
    // Names of the hosts file, and those that a search domain completes.
    found.push(...(await lookup(hostname, { all: true }).catch(() => [])).map(({ address }) => address));
  }
  if (found.length === 0) throw new NameNotFound(`${hostname} has no address`);
  const [first, ...others] = found
    .filter((address) => allowsPrivate || isPublicAddress(address))
    .map((address) => ({ address, family: isIP(address) }));
  if (first === undefined) throw new BlockedAddress(`${hostname} has no public address`);
  return [first, ...others];
}

async function resolved(kind: "resolve4" | "resolve6", hostname: string): Promise<string[]> {
  return resolver[kind](hostname).catch(() => []);
}
