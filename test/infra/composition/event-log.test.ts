// time limit: 20 s
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { Server, ServerCredentials, type ServerWritableStream, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openEventLog, openEventStore } from "../../../infra/composition/event-log.ts";
import { openEventStoreInThisThread as startStore } from "../../../infra/embedded-event-store/event-store.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { StartupError } from "../../../infra/process/startup-error.ts";

const test = suite("An EVENTSTORE_URL that cannot be used");

for (const [title, eventStoreUrl, reason] of [
  [
    "a CA file that is not there",
    "esdb://127.0.0.1:1?tlsCAFile=/none/ca.crt",
    "Failed to load certificate file. File was not found.",
  ],
  [
    "an option with an unknown value",
    "esdb://127.0.0.1:1?tls=perhaps",
    'Unexpected "perhaps" at position 23, expected true or false.',
  ],
  ["a password that is no URL text", "esdb://me:%zz@127.0.0.1:1", "URI malformed"],
] as const) {
  test(`${title} is one line that names the variable`, async () => {
    const failure = await open(eventStoreUrl).catch((error: unknown) => error);
    assert.instance(failure, StartupError);
    assert.is(
      (failure as StartupError).message,
      `The event store cannot be used. Is EVENTSTORE_URL right, and does it run? (${reason})`,
    );
  });
}

const directory = mkdtempSync(join(tmpdir(), "touchledger-test-"));
const store = await startStore({ directory, username: "admin", password: "secret" });
/** Refuses each call, as a server does whose user lacks a right. */
const withoutTls = createServer().listen(0, "127.0.0.1");
withoutTls.on("stream", (stream) => {
  const denied = { "grpc-status": "7", "grpc-message": "Access to stream 'log-identity' is denied" };
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...denied }, { endStream: true });
});
/** Its user may read streams, but not the whole log. */
const withoutAll = new Server();
const read = (call: ServerWritableStream<streams.ReadReq, streams.ReadResp>): void => {
  if (call.request.getOptions()?.hasAll()) {
    const details = "Access Denied";
    call.emit("error", Object.assign(new Error(details), { code: status.PERMISSION_DENIED, details }));
  } else call.write(logOpened(), () => call.end());
};
withoutAll.addService({ read: streamsContract.StreamsService.read }, { read });
await once(withoutTls, "listening");
const withoutAllPort = await new Promise<number>((resolve, reject) => {
  const bound = (error: Error | null, port: number): void => (error ? reject(error) : resolve(port));
  withoutAll.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
});
const sockets: Socket[] = [];
withoutTls.on("connection", (socket: Socket) => sockets.push(socket));
test.after(async () => {
  withoutTls.close();
  for (const socket of sockets) socket.destroy();
  withoutAll.forceShutdown();
  await store.close();
  rmSync(directory, { recursive: true });
});
const [secure, plain] = [store.port, (withoutTls.address() as AddressInfo).port];
const trusted = `tlsCAFile=${encodeURIComponent(join(directory, "tls-certificate.pem"))}`;

test("the nodes of a cluster that does not run are named with their errors", async () => {
  const failure = await open("esdb://127.0.0.1:1,127.0.0.2:1?tls=false").catch((error: unknown) => error);
  const { message } = failure as StartupError;
  assert.match(message, /does it run\? \(Failed to discover .*127\.0\.0\.1:1.*127\.0\.0\.2:1/);
});

for (const [title, eventStoreUrl, advice] of [
  ["TLS to a server without", `esdb://127.0.0.1:${plain}`, "It has no TLS: add tls=false"],
  ["a certificate that is not trusted", `esdb://localhost:${secure}`, "Its certificate is not trusted: name its CA"],
  ["a certificate of another address", `esdb://0.0.0.0:${secure}?${trusted}`, "Its certificate is for other hosts"],
  ["TLS to a cluster without", `esdb://127.0.0.1:${plain},localhost:${plain}`, "It has no TLS: add tls=false"],
  [
    "a cluster that is not trusted",
    `esdb+discover://localhost:${secure}`,
    "Its certificate is not trusted: name its CA",
  ],
  [
    "a cluster that does not run",
    "esdb://127.0.0.1:1,localhost:1?tls=false",
    "Is EVENTSTORE_URL right, and does it run?",
  ],
  ["no user", `esdb://localhost:${secure}?${trusted}`, "It needs a user"],
  ["a wrong password", `esdb://admin:guessed@localhost:${secure}?${trusted}`, "It needs a user"],
  ["a user without rights", `esdb://127.0.0.1:${plain}?tls=false`, "Its user lacks rights"],
  ["a user that may not read $all", `esdb://127.0.0.1:${withoutAllPort}?tls=false`, "Its user lacks rights"],
  [
    "no TLS to a server that has it",
    `esdb://localhost:${secure}?tls=false`,
    "It closes connections: if it has TLS, remove tls=false",
  ],
] as const) {
  test(`${title} is one line that says what to change`, async () => {
    const failure = await open(eventStoreUrl).catch((error: unknown) => error);
    assert.instance(failure, StartupError);
    const { message } = failure as StartupError;
    assert.match(message, `The event store cannot be used. ${advice}`);
    assert.not.match(message, "\n");
  });
}

/** The first event of a log, as a server sends it. */
function logOpened(): streams.ReadResp {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  event.setId(new shared.UUID().setString(randomUUID())).setStreamRevision("0");
  event.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from("log-identity")));
  event.getMetadataMap().set("type", "LogOpened").set("content-type", "application/json").set("created", "0");
  event.setData(Buffer.from(JSON.stringify({ logId: randomUUID() })));
  event.setCustomMetadata(Buffer.from(JSON.stringify({ schemaVersion: 1 })));
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(event));
}

async function open(eventStoreUrl: string): Promise<unknown> {
  const config = { eventStoreUrl, eventStreamPrefix: "", followerLagMs: 0, diskReserveBytes: 0 };
  const access = await openEventStore(config, "unused", () => undefined);
  return openEventLog(access, null, openLogger("silent"));
}

test.run();
