// time limit: 30 s
import { randomUUID } from "node:crypto";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { type ServiceError, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { credential } from "../../support/event-store.ts";
import { basic, closed, proposed, startBatchAppends, textId } from "./batch-append-client.ts";

/** Reads that the client of Node does not send, but others do. */
const { client, open, close } = await startBatchAppends();
const metadata = basic(credential.password);
const { Options } = streams.ReadReq;
const empty = new shared.Empty();

const reads = suite("embedded event store: reads");
reads.after(close);

const event = (type: string, data = "{}") =>
  proposed(randomUUID(), Buffer.from(data), { type, "content-type": "application/json" });

/** Three events of each of two streams and one link, appended in turns. */
reads.before(async () => {
  const call = open();
  let answers = 0;
  for (const type of ["ThingHappened", "ThingEnded", "$hidden"]) {
    for (const stream of ["one-1", "two-1"]) {
      call.send({ id: textId(), stream, events: [event(type)] });
      answers += 1;
      await call.answers(answers);
    }
  }
  call.send({ id: textId(), stream: "links", events: [event("$>", "1@two-1"), event("$>", "9@two-1")] });
  await closed(call, answers + 1);
});

/** What a read sends: `type@stream` of each event, and of its link if there is one; or the code of its refusal. */
async function read(options: streams.ReadReq.Options): Promise<readonly string[] | status> {
  if (!options.hasFilter()) options.setNoFilter(empty);
  options.setUuidOption(new Options.UUIDOption().setString(empty));
  const named = (recorded: streams.ReadResp.ReadEvent.RecordedEvent | undefined) =>
    recorded && `${recorded.getMetadataMap().get("type")}@${nameIn(recorded)}`;
  const found: string[] = [];
  try {
    for await (const response of client.read(new streams.ReadReq().setOptions(options), metadata)) {
      const sent = (response as streams.ReadResp).getEvent();
      if (sent) found.push([named(sent.getEvent()), named(sent.getLink())].filter(Boolean).join(" by "));
    }
    return found;
  } catch (error) {
    return (error as ServiceError).code;
  }
}

function nameIn(recorded: streams.ReadResp.ReadEvent.RecordedEvent): string {
  return Buffer.from(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
}

const all = (count: number) => new Options().setAll(new Options.AllOptions().setStart(empty)).setCount(String(count));
const ofStream = (name: string) => {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name));
  return new Options()
    .setStream(new Options.StreamOptions().setStreamIdentifier(identifier).setStart(empty))
    .setCount("10");
};
const expression = (regex: string, prefixes: readonly string[] = []) =>
  new Options.FilterOptions.Expression().setRegex(regex).setPrefixList([...prefixes]);
const byStream = (regex: string, prefixes: readonly string[] = []) =>
  new Options.FilterOptions().setStreamIdentifier(expression(regex, prefixes)).setCount(empty);
const byType = (regex: string) => new Options.FilterOptions().setEventType(expression(regex)).setCount(empty);

reads("of $all start with the first event, and count those that the filter accepts", async () => {
  assert.equal(await read(all(1)), ["ThingHappened@one-1"]);
  assert.equal(await read(all(2).setFilter(byStream("", ["two-"]))), ["ThingHappened@two-1", "ThingEnded@two-1"]);
  assert.equal(await read(all(10).setFilter(byType("^Thing(En|Up)ded$"))), ["ThingEnded@one-1", "ThingEnded@two-1"]);
  assert.equal(
    await read(all(10).setFilter(byType("^[^\\$].*")).setReadDirection(Options.ReadDirection.BACKWARDS)),
    [],
  );
  const newestFirst = new Options().setAll(new Options.AllOptions().setEnd(empty)).setCount("1");
  newestFirst.setReadDirection(Options.ReadDirection.BACKWARDS).setFilter(byType("^[^\\$].*"));
  assert.equal(await read(newestFirst), ["ThingEnded@two-1"]);
});

reads("match expressions in linear time, and refuse those that cannot be", async () => {
  const name = "a".repeat(400);
  const call = open();
  call.send({ id: textId(), stream: `${name}!`, events: [event("ThingHappened")] });
  await closed(call, 1);
  assert.equal(await read(all(10).setFilter(byStream("^(a+)+$"))), []);
  assert.is(await read(all(10).setFilter(byStream("^(?!\\$)"))), status.INVALID_ARGUMENT);
  assert.equal(await read(all(1).setFilter(byStream("^one-(1|x)*$"))), ["ThingHappened@one-1"]);
  assert.is(await read(all(1).setFilter(byStream("o".repeat(1_001)))), status.INVALID_ARGUMENT);
  assert.equal(await read(all(1).setFilter(byStream("o".repeat(1_000)))), []);
});

reads("with options that no server accepts together are refused", async () => {
  assert.is(await read(ofStream("one-1").setFilter(byType("^Thing"))), status.INVALID_ARGUMENT);
  const backwards = all(10).setReadDirection(Options.ReadDirection.BACKWARDS);
  assert.is(await read(backwards.setSubscription(new Options.SubscriptionOptions())), status.INVALID_ARGUMENT);
});

reads("resolve links where a client wants it", async () => {
  assert.equal(await read(ofStream("links")), ["$>@links", "$>@links"]);
  assert.equal(await read(ofStream("links").setResolveLinks(true)), ["ThingEnded@two-1 by $>@links", "$>@links"]);
  assert.equal(await read(ofStream("one-1").setResolveLinks(true).setCount("1")), ["ThingHappened@one-1"]);
});

reads.run();
