import { createHash, timingSafeEqual } from "node:crypto";
import type { Metadata, ServiceError } from "@grpc/grpc-js";
import { accessDenied, unauthenticated } from "./statuses.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** Why a call may not go on; null when it carries the one credential that this store takes. */
export type Authenticate = (metadata: Metadata) => ServiceError | null;

/** Takes exactly one credential, as HTTP Basic. */
export function takesOnly({ username, password }: Credential): Authenticate {
  const wanted = digest(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  return (metadata) => {
    const [given] = metadata.get("authorization");
    if (given === undefined) return accessDenied();
    return timingSafeEqual(digest(String(given)), wanted) ? null : unauthenticated();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
