import serverFeatures from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type streams from "@eventstore/db-client/generated/streams_pb.js";
import { type MethodDefinition, Server, ServerCredentials } from "@grpc/grpc-js";
import { appendCall, tombstoneCall } from "./append-calls.ts";
import { batchAppendCall } from "./batch-append-call.ts";
import { certificateOf } from "./certificate.ts";
import { createCommitSignal } from "./commit-signal.ts";
import { type Credential, takesOnly } from "./credentials.ts";
import { pipelined } from "./pipelined-call.ts";
import { readCall } from "./read-calls.ts";
import { Storage } from "./storage.ts";
import { Writer } from "./writer.ts";

export interface EventStoreOptions extends Credential {
  /** The store's own directory; made when it is not there. */
  readonly directory: string;
  /** On 127.0.0.1; a free one when absent. */
  readonly port?: number;
}

export interface EventStore {
  readonly port: number;
  /** For any client, without the credential. */
  readonly connectionString: string;
  /** Ends all calls, waits for the disk, releases the directory. */
  close(): Promise<void>;
}

/** Events are small, but a client may read what another server allowed. */
const MAXIMUM_MESSAGE = 17 * 1024 * 1024;
const MAXIMUM_CALLS_PER_CONNECTION = 1_000;
const GRACE_MS = 250;

/** The server of `directory`, in this thread. The caller has made sure that nobody else has the directory open. */
export async function listenOn({ directory, port = 0, username, password }: EventStoreOptions): Promise<EventStore> {
  const storage = new Storage(directory);
  const commits = createCommitSignal();
  const writer = new Writer(storage, (streams) => commits.committed(streams));
  const { key, certificate, file } = certificateOf(directory);
  const authenticate = takesOnly({ username, password });
  const server = new Server({
    "grpc.max_receive_message_length": MAXIMUM_MESSAGE,
    "grpc.max_send_message_length": MAXIMUM_MESSAGE,
    "grpc.max_concurrent_streams": MAXIMUM_CALLS_PER_CONNECTION,
    interceptors: [pipelined],
  });
  server.addService(STREAMS, {
    append: appendCall(writer, authenticate),
    batchAppend: batchAppendCall(writer, authenticate),
    tombstone: tombstoneCall(writer, authenticate),
    read: readCall({ storage, commits }, authenticate),
  });
  server.addService(serverFeatures.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, answer: (error: null, methods: features.SupportedMethods) => void) =>
      answer(null, supportedMethods()),
  });
  const identity = [{ private_key: key, cert_chain: certificate }];
  const bound = await bind(server, `127.0.0.1:${port}`, ServerCredentials.createSsl(null, identity));
  return {
    port: bound,
    connectionString: `esdb://localhost:${bound}?tls=true&tlsCAFile=${encodeURIComponent(file)}`,
    close: async () => {
      await shutDown(server);
      await writer.drained();
      await storage.close();
    },
  };
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** The generated contract, but appended events come in, and read events and answers to batches go out, as bytes. */
const { append, batchAppend, tombstone, read } = streamsContract.StreamsService;
const STREAMS = {
  append: { ...append, requestDeserialize: asIs } as unknown as MethodDefinition<Buffer, streams.AppendResp>,
  batchAppend: { ...batchAppend, requestDeserialize: asIs, responseSerialize: asIs } as unknown as MethodDefinition<
    Buffer,
    Buffer
  >,
  tombstone,
  read: { ...read, responseSerialize: asIs } as unknown as MethodDefinition<streams.ReadReq, Buffer>,
};

function supportedMethods(): features.SupportedMethods {
  const supported = new features.SupportedMethods().setEventStoreServerVersion("23.10.0");
  for (const method of ["append", "batchAppend", "read", "tombstone"]) {
    const entry = new features.SupportedMethod().setMethodName(method);
    supported.addMethods(entry.setServiceName("event_store.client.streams.streams"));
  }
  return supported;
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}

/** Lets calls that are about to end do so; subscriptions and calls of batch appends never end by themselves. */
function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
