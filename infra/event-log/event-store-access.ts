/** An event store and who may use it. */
export interface EventStoreAccess {
  /** Without the credential. */
  readonly connectionString: string;
  /** Empty, like the password, for a server without security. */
  readonly username: string;
  readonly password: string;
}

const withCredential = /^([a-z+]+:\/\/)([^:@/?]+):([^@/?]*)@(.*)$/;

/** Takes the credential, if there is one, out of `esdb://user:password@host:2113,...`. */
export function eventStoreAccess(url: string): EventStoreAccess {
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

/** The opposite of {@link eventStoreAccess}. */
export function eventStoreUrl({ connectionString, username, password }: EventStoreAccess): string {
  if (username === "") return connectionString;
  const credential = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  return connectionString.replace("://", () => `://${credential}@`);
}
