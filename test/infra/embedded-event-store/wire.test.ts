import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { join } from "node:path";
import {
  EventStoreDBClient,
  jsonEvent,
  persistentSubscriptionToStreamSettingsFromDefaults,
} from "@eventstore/db-client";
import serverFeatures from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { type ServiceError, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { certificateFile } from "../../../infra/embedded-event-store/certificate.ts";
import { credential } from "../../support/event-store.ts";
import { errorOf } from "../event-log/event-log-client.ts";
import { basic, halvesOf, startBatchAppends } from "./batch-append-client.ts";

/** What clients of other languages send, but that of Node does not. */
const { client, port, secure, directory, close } = await startBatchAppends();
const metadata = basic(credential.password);

const wire = suite("embedded event store: wire");
wire.after(close);

/** Sends the beginning of a message of 16 MiB, and returns the status that the call then ends with. */
async function statusOfUnfinished(path: string, headers: OutgoingHttpHeaders): Promise<string> {
  const session = connect(`https://localhost:${port}`, { ca: readFileSync(join(directory, certificateFile)) });
  try {
    const fixed = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
    const call = session.request({ ...fixed, ...headers });
    const prefix = Buffer.alloc(6);
    prefix.writeUInt32BE(16 * 1024 * 1024, 1);
    call.write(prefix);
    const status = new Promise<unknown>((resolve) => {
      // A response without a message has its status among the headers.
      call.once("response", (received: IncomingHttpHeaders) => {
        if ("grpc-status" in received) resolve(received["grpc-status"]);
      });
      call.once("trailers", (received: IncomingHttpHeaders) => resolve(received["grpc-status"]));
    });
    call.resume();
    return String(await status);
  } finally {
    session.destroy();
  }
}

const streamsPath = "/event_store.client.streams.Streams/";

wire("a call without the right credential is refused before its message is received", async () => {
  for (const method of ["Append", "BatchAppend", "Delete", "Read", "Tombstone"]) {
    const wrong = `Basic ${Buffer.from("admin:another").toString("base64")}`;
    assert.equal(
      [
        await statusOfUnfinished(streamsPath + method, {}),
        await statusOfUnfinished(streamsPath + method, { authorization: wrong }),
      ],
      [`${status.PERMISSION_DENIED}`, `${status.UNAUTHENTICATED}`],
      method,
    );
  }
});

wire("a call that needs no credential ends before its message is received", async () => {
  for (const path of [
    "/event_store.client.gossip.Gossip/Read",
    "/event_store.client.server_features.ServerFeatures/GetSupportedMethods",
  ]) {
    assert.is(await statusOfUnfinished(path, {}), `${status.OK}`, path);
  }
});

const identifier = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

function optionsFor(stream: string): streams.AppendReq {
  const options = new streams.AppendReq.Options().setStreamIdentifier(identifier(stream)).setAny(new shared.Empty());
  return new streams.AppendReq().setOptions(options);
}

function proposed(id: shared.UUID, properties: Readonly<Record<string, string>>): streams.AppendReq {
  const message = new streams.AppendReq.ProposedMessage().setId(id).setData(Buffer.from("{}"));
  for (const [key, value] of Object.entries(properties)) message.getMetadataMap().set(key, value);
  return new streams.AppendReq().setProposedMessage(message);
}

function append(messages: readonly streams.AppendReq[]): Promise<streams.AppendResp> {
  return new Promise((resolve, reject) => {
    const call = client.append(metadata, (error, response) => (error ? reject(error) : resolve(response)));
    for (const message of messages) call.write(message);
    call.end();
  });
}

async function read(stream: string, structured: boolean): Promise<streams.ReadResp.ReadEvent.RecordedEvent[]> {
  const ids = new streams.ReadReq.Options.UUIDOption();
  const options = new streams.ReadReq.Options()
    .setStream(
      new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifier(stream)).setStart(new shared.Empty()),
    )
    .setCount("10")
    .setNoFilter(new shared.Empty())
    .setUuidOption(structured ? ids.setStructured(new shared.Empty()) : ids.setString(new shared.Empty()));
  const found: streams.ReadResp.ReadEvent.RecordedEvent[] = [];
  for await (const response of client.read(new streams.ReadReq().setOptions(options), metadata)) {
    const event = (response as streams.ReadResp).getEvent()?.getEvent();
    if (event) found.push(event);
  }
  return found;
}

const plain = { type: "Thing", "content-type": "application/json" };

wire("accepts and returns ids as two integers, equal to the id as text", async () => {
  const ids = ["ffffffff-ffff-4fff-bfff-fffffffffff0", "00000000-0000-4000-8000-000000000001", randomUUID()];
  const stream = `wire-${randomUUID()}`;
  await append([optionsFor(stream), ...ids.map((id) => proposed(halvesOf(id), plain))]);
  const asText = await read(stream, false);
  assert.equal(
    asText.map((event) => event.getId()?.getString()),
    ids,
  );
  const asHalves = await read(stream, true);
  assert.equal(
    asHalves.map((event) => event.getId()?.toObject()),
    ids.map((id) => halvesOf(id).toObject()),
  );
  const rest = (event: streams.ReadResp.ReadEvent.RecordedEvent) => ({ ...event.toObject(), id: null });
  assert.equal(asHalves.map(rest), asText.map(rest));
});

wire("accepts ids in upper case", async () => {
  const stream = `wire-${randomUUID()}`;
  const id = randomUUID();
  const first = await append([optionsFor(stream), proposed(new shared.UUID().setString(id.toUpperCase()), plain)]);
  const again = await append([optionsFor(stream), proposed(new shared.UUID().setString(id), plain)]);
  assert.equal(again.toObject(), first.toObject());
  assert.is((await read(stream, false)).length, 1);
});

wire("refuses invalid appends", async () => {
  const stream = `wire-${randomUUID()}`;
  const id = halvesOf(randomUUID());
  const refused = async (messages: readonly streams.AppendReq[]) => {
    const error = await append(messages).then(
      () => null,
      (failure: ServiceError) => failure,
    );
    return [error?.code, error?.metadata.get("exception")[0], error?.metadata.get("required-metadata-properties")[0]];
  };
  const missing = (property: string) => [status.INVALID_ARGUMENT, "missing-required-metadata-property", property];
  assert.equal(
    await refused([optionsFor(stream), proposed(id, { "content-type": "application/json" })]),
    missing("type"),
  );
  assert.equal(await refused([optionsFor(stream), proposed(id, { type: "Thing" })]), missing("content-type"));
  const invalid = [status.INVALID_ARGUMENT, undefined, undefined];
  assert.equal(await refused([proposed(id, plain)]), invalid);
  assert.equal(await refused([optionsFor("")]), invalid);
  assert.equal(await refused([optionsFor(stream), proposed(new shared.UUID().setString("no id"), plain)]), invalid);
  assert.equal(await refused([optionsFor("$$"), proposed(id, plain)]), invalid);
});

for (const address of [`esdb+discover://localhost:${port}`, `esdb://localhost:${port},localhost:${port}`]) {
  wire(`is found as the leader of a cluster of one: ${address.replaceAll(String(port), "PORT")}`, async () => {
    const { protocol, hosts } = /^(?<protocol>[^/]+\/\/)(?<hosts>.*)$/.exec(address)?.groups ?? {};
    const caFile = encodeURIComponent(join(directory, "tls-certificate.pem"));
    const { username, password } = credential;
    const found = EventStoreDBClient.connectionString(
      `${protocol}${username}:${password}@${hosts}?tls=true&tlsCAFile=${caFile}&nodePreference=leader`,
    );
    const appended = await found.appendToStream(`wire-${randomUUID()}`, jsonEvent({ type: "Thing", data: {} }));
    assert.is(appended.nextExpectedRevision, 0n);
    await found.dispose();
  });
}

wire("lists what it does not support as not supported: persistent subscriptions, projections", async () => {
  const caFile = encodeURIComponent(join(directory, "tls-certificate.pem"));
  const { username, password } = credential;
  const other = EventStoreDBClient.connectionString(
    `esdb://${username}:${password}@localhost:${port}?tls=true&tlsCAFile=${caFile}`,
  );
  const settings = persistentSubscriptionToStreamSettingsFromDefaults();
  for (const call of [
    other.createPersistentSubscriptionToStream("wire", "group", settings),
    other.createProjection("wire", "fromAll()"),
  ]) {
    assert.match(String(await errorOf(call)), /UNIMPLEMENTED: The server does not implement the method/);
  }
  await other.dispose();
});

wire("reports its features without credentials", async () => {
  const features = new serverFeatures.ServerFeaturesClient(`localhost:${port}`, secure);
  const methods = await new Promise<string[]>((resolve, reject) => {
    features.getSupportedMethods(new shared.Empty(), (error, answer) =>
      error ? reject(error) : resolve(answer.getMethodsList().map((method) => method.getMethodName())),
    );
  });
  features.close();
  assert.equal(methods, ["append", "batchAppend", "delete", "read", "tombstone"]);
});

wire.run();
