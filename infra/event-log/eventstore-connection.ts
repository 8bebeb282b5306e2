import { type BaseOptions, EventStoreDBClient } from "@eventstore/db-client";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type streams from "@eventstore/db-client/generated/streams_pb.js";
import {
  type CallOptions,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type Metadata,
  status,
} from "@grpc/grpc-js";
import { AppendTooLarge, EventLogUnavailable } from "./event-log.ts";

export interface ConnectionOptions {
  /** `esdb://...` or `esdb+discover://...`. */
  readonly connectionString: string;
  /** With every call. A server without security (`tls=false`) gets none. */
  readonly username: string;
  readonly password: string;
  /** How long an append, or the next message of a read, may take once its call is open. */
  readonly deadlineMs: number;
}

type StreamsClient = InstanceType<typeof streamsContract.StreamsClient>;

/**
 * What the client's own methods are made of. They are `protected`; with them the client keeps what it is good at
 * (finding the leader, reconnecting) while messages pass as bytes, three times as fast as through its objects.
 * The client's version is pinned, and the contract suite runs over this.
 */
interface ClientInside {
  GRPCStreamCreator<Stream>(
    service: typeof streamsContract.StreamsClient,
    name: string,
    creator: (client: StreamsClient) => Stream,
  ): () => Promise<Stream>;
  callArguments(options: BaseOptions, callOptions?: CallOptions): [Metadata, CallOptions];
}

/** How much longer than the deadline we wait for a client that forgot it. */
const PATIENCE_MS = 500;
const asIs = (bytes: Buffer): Buffer => bytes;

/** The one connection of a process to its event store. */
export class EventStoreConnection {
  readonly deadlineMs: number;
  private readonly client: EventStoreDBClient;
  private readonly inside: ClientInside;
  private readonly credentials: { readonly username: string; readonly password: string };

  constructor({ connectionString, username, password, deadlineMs }: ConnectionOptions) {
    this.deadlineMs = deadlineMs;
    this.credentials = { username, password };
    keepLoopbackFromProxies();
    this.client = EventStoreDBClient.connectionString(connectionString);
    this.inside = this.client as unknown as ClientInside;
  }

  /** Opens a call that takes appends, as bytes, and answers each. Rejects as {@link toLogError} says. */
  async openAppends(): Promise<ClientDuplexStream<Buffer, streams.BatchAppendResp>> {
    const { path, responseDeserialize } = streamsContract.StreamsService.batchAppend;
    const open = this.inside.GRPCStreamCreator(streamsContract.StreamsClient, "append", (client) => {
      const [metadata, options] = this.callArguments();
      return generic(client).makeBidiStreamRequest(path, asIs, responseDeserialize, metadata, options);
    });
    return this.openedInTime(open());
  }

  /** Opens a read or a subscription; its messages come as bytes. Rejects as {@link toLogError} says. */
  async read(request: streams.ReadReq): Promise<ClientReadableStream<Buffer>> {
    const { path, requestSerialize } = streamsContract.StreamsService.read;
    const open = this.inside.GRPCStreamCreator(streamsContract.StreamsClient, "read", (client) => {
      const [metadata, options] = this.callArguments();
      return generic(client).makeServerStreamRequest(path, requestSerialize, asIs, request, metadata, options);
    });
    return this.openedInTime(open());
  }

  async close(): Promise<void> {
    await this.client.dispose();
  }

  /** A call that opens only when nobody waits for it any more is ended. */
  private openedInTime<Call extends { cancel(): void }>(opening: Promise<Call>): Promise<Call> {
    return inTime(opening, this.deadlineMs + PATIENCE_MS).catch((error) => {
      opening.then(
        (call) => call.cancel(),
        () => {},
      );
      throw toLogError(error);
    });
  }

  /** Of calls that stay open. */
  private callArguments(): [Metadata, CallOptions] {
    return this.inside.callArguments({ credentials: { ...this.credentials } }, { deadline: Number.POSITIVE_INFINITY });
  }
}

/** The generated class hides the generic calls that it inherits. */
function generic(client: StreamsClient): Client {
  return client;
}

/** Waits no longer than `ms`. Rejects with {@link EventLogUnavailable}. */
export function inTime<Result>(outcome: Promise<Result>, ms: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new EventLogUnavailable(`the event store did not answer in ${ms} ms`)), ms);
    outcome.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What the server says about us, not about itself: asking again would not help. */
const OUR_FAULT = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.FAILED_PRECONDITION,
  status.UNIMPLEMENTED,
]);

/**
 * An error of the port: {@link AppendTooLarge}; the error itself when the call can never succeed (credentials, a
 * closed stream); everything else {@link EventLogUnavailable}, the outcome of an append then being unknown.
 */
export function toLogError(error: unknown): Error {
  if (!(error instanceof Error)) return new EventLogUnavailable(String(error));
  if (error instanceof EventLogUnavailable || error instanceof AppendTooLarge) return error;
  if (exceptionOf(error) === "maximum-append-size-exceeded") return new AppendTooLarge(error.message, { cause: error });
  if (exceptionOf(error) === "not-leader") return new EventLogUnavailable(error.message, { cause: error });
  if ("code" in error && OUR_FAULT.has(error.code as status)) return error;
  return new EventLogUnavailable(error.message, { cause: error });
}

/** The name that the server gives its exception, in the trailers. */
function exceptionOf(error: Error): string | undefined {
  if (!("metadata" in error)) return undefined;
  return (error.metadata as Metadata | undefined)?.get("exception")[0]?.toString();
}

/**
 * gRPC sends calls through the HTTP proxy that the environment names, calls to this very machine too. Takes loopback out.
 * For this process, before its first call.
 */
function keepLoopbackFromProxies(): void {
  const { grpc_proxy, https_proxy, http_proxy, no_grpc_proxy, no_proxy } = process.env;
  if (!grpc_proxy && !https_proxy && !http_proxy) return;
  const excepted = (no_grpc_proxy || no_proxy || "").split(",").filter((name) => name !== "");
  process.env.no_grpc_proxy = [...new Set([...excepted, "localhost", "127.0.0.1"])].join(",");
}
