import { once } from "node:events";
import gossipContract from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import type shared from "@eventstore/db-client/generated/shared_pb.js";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { bytesField, numberField } from "../../../infra/event-log/protobuf.ts";
import { halvesOf, textId } from "../embedded-event-store/batch-append-client.ts";

/** A received append, and its possible responses. */
export interface IncomingAppend {
  readonly stream: string;
  /** Number of the call that it came in, from 1 on. */
  readonly call: number;
  succeed(): void;
  /** With the id as two integers of 64 bits. */
  succeedInHalves(): void;
  /** Under another id than the one that was sent. */
  succeedAs(id: shared.UUID): void;
  /** `type`: full name of the error details; null sends an error without details. */
  refuse(type: string | null): void;
  /** Ends the call as if all were well. */
  endCall(): void;
  failCall(code: number, details?: string): void;
}

/** A server of batch appends whose responses the test controls. */
export interface AppendServer {
  readonly connectionString: string;
  readonly port: number;
  /** Appends that have come in so far, over all calls. */
  readonly appends: readonly IncomingAppend[];
  /** Waits for a read, which is never answered; returns what fails it, as when its node is lost. */
  failRead(): Promise<() => void>;
  /** Resolves when so many appends have come in. */
  received(count: number): Promise<readonly IncomingAppend[]>;
  /** Calls opened so far. */
  calls(): number;
  /** Resolves when the client has cancelled all calls but so many. */
  cancelledAllBut(count: number): Promise<void>;
  /** Resolves when no call is open; opens no new one. */
  close(): Promise<void>;
}

type BatchAppendCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/** `onAppend` is called for each append; `leader` returns the port of the leader, if any, for cluster discovery. */
export async function startAppendServer(
  onAppend: (append: IncomingAppend) => void = () => {},
  leader?: () => Promise<number | null>,
): Promise<AppendServer> {
  const appends: IncomingAppend[] = [];
  const happenings = new EventTarget();
  let calls = 0;
  let cancelled = 0;
  const batchAppend = (call: BatchAppendCall) => {
    calls += 1;
    const number = calls;
    call.on("cancelled", () => {
      cancelled += 1;
      happenings.dispatchEvent(new Event("cancelled"));
    });
    call.on("end", () => call.end());
    call.on("data", (request: streams.BatchAppendReq) => {
      const append = incoming(call, request, number);
      appends.push(append);
      onAppend(append);
      happenings.dispatchEvent(new Event("append"));
    });
  };
  const server = new Server();
  const { StreamsService } = streamsContract;
  const reads: ServerWritableStream<streams.ReadReq, streams.ReadResp>[] = [];
  const readStream = (call: ServerWritableStream<streams.ReadReq, streams.ReadResp>): void => {
    reads.push(call);
    happenings.dispatchEvent(new Event("read"));
  };
  server.addService(
    { batchAppend: StreamsService.batchAppend, read: StreamsService.read },
    { batchAppend, read: readStream },
  );
  const read = (_: unknown, answer: sendUnaryData<gossip.ClusterInfo>): void => {
    leader?.().then((port) => answer(null, clusterLedBy(port)));
  };
  server.addService({ read: gossipContract.GossipService.read }, { read });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    connectionString: `esdb://localhost:${port}?tls=false`,
    port,
    appends,
    async failRead() {
      while (reads.length === 0) await once(happenings, "read");
      return () => void reads.pop()?.emit("error", { code: status.UNAVAILABLE, details: "chosen by the test" });
    },
    async received(count) {
      while (appends.length < count) await once(happenings, "append");
      return appends.slice(0, count);
    },
    calls: () => calls,
    async cancelledAllBut(count) {
      while (calls - cancelled > count) await once(happenings, "cancelled");
    },
    close: () => new Promise((resolve, reject) => server.tryShutdown((error) => (error ? reject(error) : resolve()))),
  };
}

function incoming(call: BatchAppendCall, request: streams.BatchAppendReq, number: number): IncomingAppend {
  const sentWith = request.getCorrelationId()?.getString() ?? "";
  const correlationId = textId(sentWith);
  const identifier = request.getOptions()?.getStreamIdentifier();
  const answer = (id: shared.UUID, result: Buffer) => {
    const bytes = Buffer.concat([bytesField(1, id.serializeBinary()), result]);
    call.write(streams.BatchAppendResp.deserializeBinary(bytes));
  };
  return {
    stream: Buffer.from(identifier?.getStreamName_asU8() ?? []).toString(),
    call: number,
    succeed: () => answer(correlationId, SUCCESS),
    succeedInHalves: () => answer(halvesOf(sentWith), SUCCESS),
    succeedAs: (id) => answer(id, SUCCESS),
    refuse: (type) => answer(correlationId, refusal(type)),
    endCall: () => call.end(),
    failCall: (code, details = "chosen by the test") => call.emit("error", { code, details }),
  };
}

function clusterLedBy(port: number | null): gossip.ClusterInfo {
  if (port === null) return new gossip.ClusterInfo();
  const endPoint = new gossip.EndPoint().setAddress("localhost").setPort(port);
  const member = new gossip.MemberInfo()
    .setInstanceId(textId())
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(endPoint);
  return new gossip.ClusterInfo().setMembersList([member]);
}

/** `success { current_revision: 4, position { commit: 9, prepare: 8 } }` */
const SUCCESS = bytesField(
  3,
  Buffer.concat([numberField(1, 4), bytesField(3, Buffer.concat([numberField(1, 9), numberField(2, 8)]))]),
);

/** What `append` resolves with when the server lets it succeed. */
export const succeeded = { outcome: "appended", revision: 4n, position: { commit: 9n, prepare: 8n } };

/** `error { message, details }` */
function refusal(type: string | null): Buffer {
  const message = bytesField(2, Buffer.from("chosen by the test"));
  if (type === null) return bytesField(2, message);
  const details = bytesField(3, bytesField(1, Buffer.from(`type.googleapis.com/${type}`)));
  return bytesField(2, Buffer.concat([message, details]));
}
