import { createHash, timingSafeEqual } from "node:crypto";
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, type ServiceError } from "@grpc/grpc-js";
import { accessDenied, unauthenticated } from "./statuses.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/**
 * Refuses calls of a service without the credential (HTTP Basic authentication) by their metadata: a message, of up to
 * 17 MiB, is collected in memory before its method is called.
 * @param service path of its methods, such as `/event_store.client.streams.Streams/`
 */
export function requireCredential(service: string, { username, password }: Credential): ServerInterceptor {
  const expected = digest(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  const refusalOf = (metadata: Metadata): ServiceError | null => {
    const [authorization] = metadata.get("authorization");
    if (authorization === undefined) return accessDenied();
    return timingSafeEqual(digest(String(authorization)), expected) ? null : unauthenticated();
  };
  return (method, call) => {
    if (!method.path.startsWith(service)) return new ServerInterceptingCall(call);
    const onReceiveMetadata = (metadata: Metadata, accept: (metadata: Metadata) => void): void => {
      const refusal = refusalOf(metadata);
      if (refusal === null) accept(metadata);
      else call.sendStatus(refusal);
    };
    return new ServerInterceptingCall(call, { start: (next) => next({ onReceiveMetadata }) });
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
