import { randomUUID } from "node:crypto";
import { type EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import gossipContract from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import serverFeatures from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type streams from "@eventstore/db-client/generated/streams_pb.js";
import { type MethodDefinition, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { watchFreeSpace } from "../data-directory/free-space.ts";
import { within } from "../process/time-limit.ts";
import { appendCall, deleteCall, tombstoneCall } from "./append-call.ts";
import { batchAppendCall } from "./batch-append-call.ts";
import { certificateOf } from "./certificate.ts";
import { type Credential, requireCredential } from "./credentials.ts";
import { stopped } from "./grpc-errors.ts";
import { readCall } from "./read-call.ts";
import { createReplicas } from "./replicas.ts";
import { pipelined } from "./slow-clients.ts";
import { Storage } from "./storage.ts";
import { Writer } from "./writer.ts";

export interface EventStoreOptions extends Credential {
  /** The store's own directory; created when absent. */
  readonly directory: string;
  /** On 127.0.0.1; any free port when absent. */
  readonly port?: number;
  /** Free space of the disk below which appends are refused, in bytes. */
  readonly reserveBytes?: number;
  /** Lag, in milliseconds, of reads that do not require the leader, as of a follower (for tests); none when absent. */
  readonly followerLagMs?: number;
}

export interface EventStore {
  readonly port: number;
  /** For any client, without the credential. */
  readonly connectionString: string;
  /** Ends all calls, waits for the disk, releases the directory. */
  close(): Promise<void>;
}

/** Far above the maximum append: one that is too large is refused alone, instead of ending the call with all others. */
const maxMessageBytes = 17 * 1024 * 1024;
const maxCallsPerConnection = 1_000;
const graceMs = 250;

/** Serves the store in `directory` from this thread. The caller holds the lock of the directory. */
export async function listenOn(options: EventStoreOptions): Promise<EventStore> {
  const { directory, port = 0, username, password, followerLagMs = 0, reserveBytes = 0 } = options;
  const storage = new Storage(directory);
  const replicas = createReplicas(storage, followerLagMs);
  const writer = new Writer(storage, watchFreeSpace(directory, reserveBytes), replicas.committed);
  const { key, certificate, file } = certificateOf(directory);
  const instanceId = randomUUID();
  const calls = openCalls();
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.max_concurrent_streams": maxCallsPerConnection,
    interceptors: [requireCredential("/event_store.client.streams.Streams/", { username, password }), pipelined],
  });
  server.addService(streamsService, {
    append: calls.tracked(appendCall(writer)),
    batchAppend: calls.tracked(batchAppendCall(writer)),
    delete: deleteCall(writer),
    tombstone: tombstoneCall(writer),
    read: calls.tracked(readCall(replicas)),
  });
  server.addService(serverFeatures.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, callback: (error: null, methods: features.SupportedMethods) => void) =>
      callback(null, supportedMethods()),
  });
  server.addService(gossipContract.GossipService, {
    read: (_call: unknown, callback: (error: null, cluster: gossip.ClusterInfo) => void) =>
      callback(null, clusterOf(instanceId, listener.port)),
  });
  const identity = [{ private_key: key, cert_chain: certificate }];
  const listener = await listen(server, ServerCredentials.createSsl(certificate, identity), port);
  return {
    port: listener.port,
    connectionString: `esdb://localhost:${listener.port}?tls=true&tlsCAFile=${encodeURIComponent(file)}`,
    close: async () => {
      listener.close();
      // Asks clients to close their connections once their calls have ended.
      server.tryShutdown(() => undefined);
      // Appends that were received get a response.
      await withinGrace(writer.drained());
      calls.end(stopped());
      await withinGrace(listener.connectionsEnded());
      server.forceShutdown();
      listener.destroyConnections();
      await writer.drained();
      await storage.close();
    },
  };
}

/** The cluster of one node that clients find when they look for a leader. */
function clusterOf(instanceId: string, port: number): gossip.ClusterInfo {
  const leader = new gossip.MemberInfo()
    .setInstanceId(new shared.UUID().setString(instanceId))
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress("localhost").setPort(port));
  return new gossip.ClusterInfo().setMembersList([leader]);
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** The generated contract, except that appended events, read events and responses to batches stay bytes. */
const { append, batchAppend, delete: deleteStream, tombstone, read } = streamsContract.StreamsService;
const streamsService = {
  append: { ...append, requestDeserialize: asIs } as unknown as MethodDefinition<Buffer, streams.AppendResp>,
  batchAppend: { ...batchAppend, requestDeserialize: asIs, responseSerialize: asIs } as unknown as MethodDefinition<
    Buffer,
    Buffer
  >,
  delete: deleteStream,
  tombstone,
  read: { ...read, responseSerialize: asIs } as unknown as MethodDefinition<streams.ReadReq, Buffer>,
};

function supportedMethods(): features.SupportedMethods {
  const supported = new features.SupportedMethods().setEventStoreServerVersion("23.10.0");
  for (const method of ["append", "batchAppend", "delete", "read", "tombstone"]) {
    const entry = new features.SupportedMethod().setMethodName(method);
    supported.addMethods(entry.setServiceName("event_store.client.streams.streams"));
  }
  return supported;
}

/** Where clients connect. */
interface Listener {
  readonly port: number;
  /** Accepts no more connections. */
  close(): void;
  /** Resolves when no connection is left. */
  connectionsEnded(): Promise<void>;
  /** Ends the connections that are left. */
  destroyConnections(): void;
}

/** Accepts connections itself: gRPC loses track of one whose session has ended, such as that of a killed client. */
async function listen(server: Server, credentials: ServerCredentials, requestedPort: number): Promise<Listener> {
  const injector = server.createConnectionInjector(credentials);
  const connections = new Set<Socket>();
  const listener = createServer((connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
    injector.injectConnection(connection);
  });
  listener.listen(requestedPort, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    close: () => listener.close(),
    connectionsEnded: async () => {
      await Promise.all(
        [...connections].map((connection) => new Promise((resolve) => connection.once("close", resolve))),
      );
    },
    destroyConnections: () => {
      for (const connection of connections) connection.destroy();
    },
  };
}

/** Waits for `ended`, at most the grace period. */
async function withinGrace(ended: Promise<void>): Promise<void> {
  await within(graceMs, ended).catch(() => undefined);
  // Lets the ends of calls be sent.
  await new Promise((resolve) => setImmediate(resolve));
}

/** The calls that may stay open: subscriptions and batch appends never end by themselves. */
function openCalls() {
  const open = new Set<EventEmitter>();
  return {
    tracked<Call extends EventEmitter, Rest extends readonly unknown[]>(serve: (call: Call, ...rest: Rest) => void) {
      return (call: Call, ...rest: Rest): void => {
        open.add(call);
        for (const over of ["close", "cancelled"]) call.once(over, () => open.delete(call));
        serve(call, ...rest);
      };
    },
    end(error: ServiceError): void {
      for (const call of open) call.emit("error", error);
    },
  };
}
