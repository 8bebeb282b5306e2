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
import { within } from "../process/time-limit.ts";
import { errorsOfNodes } from "./cluster-node-errors.ts";
import { AppendTooLarge, EventLogRefused, EventLogUnavailable } from "./event-log.ts";
import { keepLoopbackFromProxies, omitAddressesFromServerNames } from "./grpc-setup.ts";

export interface ConnectionOptions {
  /** `esdb://...` or `esdb+discover://...`. */
  readonly connectionString: string;
  /** Sent with every call, except to a server without TLS. */
  readonly username: string;
  readonly password: string;
  /** Maximum time for an append, or for the next message of a read, once its call is open. */
  readonly deadlineMs: number;
}

type StreamsClient = InstanceType<typeof streamsContract.StreamsClient>;

/**
 * Protected methods of the client. With them the client finds the leader and reconnects, while messages pass as bytes,
 * three times as fast as through its objects. The client's version is pinned, and the contract suite covers this.
 */
interface ClientInside {
  GRPCStreamCreator<Stream>(
    service: typeof streamsContract.StreamsClient,
    name: string,
    creator: (client: StreamsClient) => Stream,
  ): () => Promise<Stream>;
  callArguments(options: BaseOptions, callOptions?: CallOptions): [Metadata, CallOptions];
  handleError(client: Client, error: Error): Promise<void>;
}

type OpenCall = ClientReadableStream<Buffer> | ClientDuplexStream<Buffer, streams.BatchAppendResp>;

/** Added to the deadline when waiting for the client, which may exceed its own. */
const openingGraceMs = 500;
/** How long a node may take to name the leader before the next one is tried. The client's 5 s exceed our deadline. */
const gossipTimeoutSeconds = 1;
const asIs = (bytes: Buffer): Buffer => bytes;

omitAddressesFromServerNames();

/** The one connection of a process to its event store. */
export class EventStoreConnection {
  readonly deadlineMs: number;
  private readonly connectionString: string;
  private readonly client: EventStoreDBClient;
  private readonly inside: ClientInside;
  private readonly credentials: { readonly username: string; readonly password: string };
  private readonly calls = new Set<OpenCall>();
  private messages = 0;

  constructor({ connectionString, username, password, deadlineMs }: ConnectionOptions) {
    this.deadlineMs = deadlineMs;
    this.connectionString = connectionString;
    this.credentials = { username, password };
    keepLoopbackFromProxies();
    this.client = EventStoreDBClient.connectionString(withGossipTimeout(connectionString));
    this.inside = this.client as unknown as ClientInside;
    const { handleError } = this.inside;
    // The client does not await these promises. One rejects when a call fails while no leader can be found, which would
    // end the process; callers that wait for the leader get the same error.
    this.inside.handleError = (client, error) => handleError(client, error).catch(() => undefined);
  }

  /** Messages that have been received so far, over all calls. */
  get received(): number {
    return this.messages;
  }

  /** Opens a call for appends, whose requests are bytes. Rejects with {@link toLogError}. */
  async openAppends(): Promise<ClientDuplexStream<Buffer, streams.BatchAppendResp>> {
    const { path, responseDeserialize } = streamsContract.StreamsService.batchAppend;
    const receive = (bytes: Buffer): streams.BatchAppendResp => responseDeserialize(this.receive(bytes));
    const open = this.inside.GRPCStreamCreator(streamsContract.StreamsClient, "append", (client) => {
      const [metadata, options] = this.callArguments();
      return generic(client).makeBidiStreamRequest(path, asIs, receive, metadata, options);
    });
    return this.openInTime(open());
  }

  /**
   * Opens a read or a subscription, whose messages are bytes. Rejects with {@link toLogError}. A follower reads its own
   * log, which may lack events that were just acknowledged.
   */
  async read(request: streams.ReadReq, node: "leader" | "any node"): Promise<ClientReadableStream<Buffer>> {
    const { path, requestSerialize } = streamsContract.StreamsService.read;
    const open = this.inside.GRPCStreamCreator(streamsContract.StreamsClient, "read", (client) => {
      const [metadata, options] = this.callArguments({ requiresLeader: node === "leader" });
      return generic(client).makeServerStreamRequest(path, requestSerialize, this.receive, request, metadata, options);
    });
    return this.openInTime(open());
  }

  /**
   * Waits for a message; after the deadline calls {@link leaveIfSilent} and rejects with {@link EventLogUnavailable}.
   */
  async awaitMessage(message: Promise<void>): Promise<void> {
    const before = this.messages;
    try {
      await inTime(this.deadlineMs, message);
    } catch (error) {
      this.leaveIfSilent(before);
      throw error;
    }
  }

  /** Ends a call with an error, which makes the client look for the leader before the next one; cancelling does not. */
  leave(call: OpenCall, { message }: EventLogUnavailable): void {
    call.destroy(Object.assign(new Error(message), { code: status.UNAVAILABLE, details: message }));
    call.cancel();
  }

  /**
   * Ends all calls if no message has arrived on any of them while one has waited for its whole deadline: the connection
   * is dead.
   * @param before {@link received} when that call began to wait
   */
  leaveIfSilent(before: number): void {
    if (this.messages !== before) return;
    const reason = new EventLogUnavailable(`the event store did not respond to anything in ${this.deadlineMs} ms`);
    for (const call of this.calls) this.leave(call, reason);
  }

  async close(): Promise<void> {
    await this.client.dispose();
  }

  private readonly receive = (bytes: Buffer): Buffer => {
    this.messages += 1;
    return bytes;
  };

  /** Cancels a call that opens after the deadline. */
  private async openInTime<Call extends OpenCall>(opening: Promise<Call>): Promise<Call> {
    try {
      const call = await inTime(this.deadlineMs + openingGraceMs, opening);
      this.calls.add(call);
      call.once("status", () => this.calls.delete(call));
      return call;
    } catch (error) {
      opening.then(
        (call) => call.cancel(),
        () => {},
      );
      throw toLogError(await this.explained(error));
    }
  }

  /** Adds what was to be discovered; when a start finds no node, the causes: later the address is known to be right. */
  private async explained(error: unknown): Promise<unknown> {
    if (!(error instanceof Error) || !error.message.startsWith("Failed to discover")) return error;
    const causes = this.messages > 0 ? ["(the leader of the event store)"] : await errorsOfNodes(this.connectionString);
    return new EventLogUnavailable([error.message, ...causes].join(" "), { cause: error });
  }

  /** Arguments of calls that stay open. */
  private callArguments(options: BaseOptions = {}): [Metadata, CallOptions] {
    const credentials = { ...this.credentials };
    return this.inside.callArguments({ ...options, credentials }, { deadline: Number.POSITIVE_INFINITY });
  }
}

function withGossipTimeout(address: string): string {
  if (/[?&]gossipTimeout=/i.test(address)) return address;
  return `${address}${address.includes("?") ? "&" : "?"}gossipTimeout=${gossipTimeoutSeconds}`;
}

/** The generated class hides the generic calls that it inherits. */
function generic(client: StreamsClient): Client {
  return client;
}

/** Rejects with {@link EventLogUnavailable} when `work` takes longer than `ms`. */
function inTime<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  return within(ms, work, () => new EventLogUnavailable(`the event store did not respond in ${ms} ms`));
}

/** The node is not the leader; the client connects to the leader next. */
export class NotLeader extends EventLogUnavailable {}

/** No event is at the position where a read of the whole log begins: it is of another log, or mistyped. */
export class NothingAtPosition extends Error {
  override readonly name = "NothingAtPosition";
}

const refusals = new Set([status.PERMISSION_DENIED, status.UNAUTHENTICATED]);

/** Errors of the request, not of the server: a retry cannot succeed. */
const requestFaults = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.FAILED_PRECONDITION,
  status.UNIMPLEMENTED,
]);

/**
 * The error that the port reports: {@link AppendTooLarge}; {@link NothingAtPosition}; {@link EventLogRefused}; the error
 * itself when the call can never succeed (a closed stream); otherwise {@link EventLogUnavailable}, as the outcome of an
 * append is then unknown.
 */
export function toLogError(error: unknown): Error {
  if (!(error instanceof Error)) return new EventLogUnavailable(String(error));
  if (error instanceof EventLogUnavailable || error instanceof AppendTooLarge) return error;
  if (exceptionOf(error) === "maximum-append-size-exceeded") return new AppendTooLarge(error.message, { cause: error });
  if (exceptionOf(error) === "not-leader") return new NotLeader(error.message, { cause: error });
  if (namesNoPosition(error)) return new NothingAtPosition(error.message, { cause: error });
  if ("code" in error && refusals.has(error.code as status))
    return new EventLogRefused(error.message, { cause: error });
  if ("code" in error && requestFaults.has(error.code as status)) return error;
  return new EventLogUnavailable(error.message, { cause: error });
}

/** Whether a read began at a position without an event. Servers send different statuses, so the message decides. */
function namesNoPosition(error: Error): boolean {
  if (!("code" in error) || (error.code !== status.UNKNOWN && error.code !== status.INVALID_ARGUMENT)) return false;
  return /invalid ?position/i.test(error.message);
}

/** The name of the server's exception, from the trailers. */
function exceptionOf(error: Error): string | undefined {
  if (!("metadata" in error)) return undefined;
  return (error.metadata as Metadata | undefined)?.get("exception")[0]?.toString();
}
