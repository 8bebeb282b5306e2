import { createHash, timingSafeEqual } from "node:crypto";
import type { Metadata } from "@grpc/grpc-js";
import { accessDenied, unauthenticated } from "./statuses.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** Throws a `ServiceError` unless the metadata of a call carry the credential of this store. */
export type Authenticate = (metadata: Metadata) => void;

/** HTTP Basic authentication with one credential. */
export function basicAuthentication({ username, password }: Credential): Authenticate {
  const expected = digest(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  return (metadata) => {
    const [authorization] = metadata.get("authorization");
    if (authorization === undefined) throw accessDenied();
    if (!timingSafeEqual(digest(String(authorization)), expected)) throw unauthenticated();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
