import { createHash, timingSafeEqual } from "node:crypto";
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, type ServiceError } from "@grpc/grpc-js";
import { accessDenied, unauthenticated } from "./grpc-errors.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/**
 * Refuses calls of a service without the credential (HTTP Basic authentication) by their metadata: a message, of up to
 * 17 MiB, is collected in memory before its method is called. Methods of other services need no credential, and must have
 * no parameters.
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
    if (!method.path.startsWith(service)) return new CallWithoutParameters(call);
    const onReceiveMetadata = (metadata: Metadata, accept: (metadata: Metadata) => void): void => {
      const refusal = refusalOf(metadata);
      if (refusal === null) accept(metadata);
      else call.sendStatus(refusal);
    };
    return new ServerInterceptingCall(call, { start: (next) => next({ onReceiveMetadata }) });
  };
}

type Listener = Parameters<ServerInterceptingCall["start"]>[0];

/** Its message is not received. */
class CallWithoutParameters extends ServerInterceptingCall {
  private listener: Listener | null = null;
  private hasMessage = false;

  override start(listener: Listener): void {
    this.listener = listener;
    super.start(listener);
  }

  override startRead(): void {
    if (this.hasMessage) {
      this.listener?.onReceiveHalfClose();
      return;
    }
    this.hasMessage = true;
    this.listener?.onReceiveMessage({});
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
