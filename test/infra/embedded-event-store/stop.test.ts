import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { type ServiceError, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { credential, startEmbeddedLog } from "../../support/event-store.ts";
import { within } from "../event-log/contract/client.ts";
import { newStream } from "../event-log/event-log-client.ts";
import { basic, batchMessage, oneProposed, streamsClientOf, textId } from "./batch-append-client.ts";

const stop = suite("stop of the embedded event store");
const { Options } = streams.ReadReq;
const empty = new shared.Empty();

function subscription(): streams.ReadReq {
  const options = new Options()
    .setAll(new Options.AllOptions().setStart(empty))
    .setSubscription(new Options.SubscriptionOptions())
    .setNoFilter(empty)
    .setUuidOption(new Options.UUIDOption().setString(empty));
  return new streams.ReadReq().setOptions(options);
}

stop("ends open calls as unavailable", async () => {
  const store = await startEmbeddedLog();
  const { client } = streamsClientOf(store);
  const metadata = basic(credential.password);
  const subscribed = client.read(subscription(), metadata);
  const batch = client.batchAppend(metadata);
  const codeOf = (error: ServiceError) => error.code;
  const plain = within<number>((found) => {
    const call = client.append(metadata, (error) => found(error ? codeOf(error) : status.OK));
    const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(newStream()));
    const options = new streams.AppendReq.Options().setStreamIdentifier(identifier).setAny(empty);
    call.write(new streams.AppendReq().setOptions(options));
  });
  const ends = [subscribed, batch].map((call) =>
    within<number>((found) => call.on("error", (error: ServiceError) => found(codeOf(error)))),
  );
  // Confirmation, and that the log has been read.
  await within<void>((found) => {
    let messages = 0;
    subscribed.on("data", () => ++messages === 2 && found());
  });
  await within<void>((found) => {
    batch.on("data", () => found());
    batch.write(batchMessage({ id: textId(), stream: newStream(), events: [oneProposed()] }));
  });
  await store.stopStore();
  assert.equal(await Promise.all([...ends, plain]), [status.UNAVAILABLE, status.UNAVAILABLE, status.UNAVAILABLE]);
  client.close();
  await store.close();
});

stop.run();
