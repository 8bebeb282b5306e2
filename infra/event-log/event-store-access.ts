import type { StreamNames } from "./stream-names.ts";

/** The address and credential of an event store. */
export interface EventStoreAccess {
  /** Without the credential. */
  readonly connectionString: string;
  /** Empty, like the password, for a server without security. */
  readonly username: string;
  readonly password: string;
}

/** How an instance reaches its own streams in an event store. */
export interface EventLogAccess extends EventStoreAccess {
  readonly names: StreamNames;
}

const withCredential = /^([a-z+]+:\/\/)([^:@/?]+):([^@/?]*)@(.*)$/;

/**
 * Splits `esdb://user:password@host:2113,...`; the credential is optional. The leader of a cluster is preferred unless the
 * address names another `nodePreference`. `kurrentdb://` is read as `esdb://`.
 */
export function eventStoreAccess(address: string): EventStoreAccess {
  const url = preferringLeader(address.replace(/^kurrentdb\b/, "esdb"));
  const [, scheme, username, password, rest] = withCredential.exec(url) ?? [];
  if (scheme === undefined || username === undefined || password === undefined) {
    return { connectionString: url, username: "", password: "" };
  }
  return {
    connectionString: `${scheme}${rest}`,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

function preferringLeader(url: string): string {
  if (/[?&]nodePreference=/i.test(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}nodePreference=leader`;
}

/** The opposite of {@link eventStoreAccess}. */
export function eventStoreUrl({ connectionString, username, password }: EventStoreAccess): string {
  if (username === "") return connectionString;
  const credential = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  return connectionString.replace("://", () => `://${credential}@`);
}
