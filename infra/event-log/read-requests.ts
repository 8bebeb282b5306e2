import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { LogPosition } from "../../domain/event.ts";

const { ReadReq } = streams;
const { Options } = ReadReq;
const noLimit = "9223372036854775807";

/** A filtered subscription has a checkpoint after scanning 32 (the search window) times this many events. */
const checkpointInterval = 32;

/** One stream, oldest first, from a revision on. */
export function readStreamRequest(stream: string, fromRevision: bigint): streams.ReadReq {
  const options = commonOptions().setCount(noLimit);
  return request(options.setStream(streamOptions(stream).setRevision(fromRevision.toString())));
}

/** One stream, newest first. */
export function readStreamBackwardsRequest(stream: string, max: number): streams.ReadReq {
  const options = commonOptions().setCount(String(max)).setReadDirection(Options.ReadDirection.BACKWARDS);
  return request(options.setStream(streamOptions(stream).setEnd(new shared.Empty())));
}

/** The whole log, oldest first, from a position on, itself included; `max` null: without limit. */
export function readAllRequest(from: LogPosition | "start", max: number | null): streams.ReadReq {
  return request(
    commonOptions()
      .setCount(String(max ?? noLimit))
      .setAll(allOptions(from)),
  );
}

/** The whole log, newest first. */
export function readAllBackwardsRequest(): streams.ReadReq {
  const options = commonOptions().setCount(noLimit).setReadDirection(Options.ReadDirection.BACKWARDS);
  return request(options.setAll(new Options.AllOptions().setEnd(new shared.Empty())));
}

/** A subscription, after a position, to the streams whose names have a prefix; to the whole log when it is empty. */
export function subscribeRequest(from: LogPosition | "start", prefix: string): streams.ReadReq {
  const options = commonOptions().setAll(allOptions(from)).setSubscription(new Options.SubscriptionOptions());
  if (prefix === "") return request(options);
  const expression = new Options.FilterOptions.Expression().setPrefixList([prefix]);
  const filter = new Options.FilterOptions().setStreamIdentifier(expression).setCount(new shared.Empty());
  return request(options.setFilter(filter.setCheckpointintervalmultiplier(checkpointInterval)));
}

function streamOptions(stream: string): streams.ReadReq.Options.StreamOptions {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  return new Options.StreamOptions().setStreamIdentifier(identifier);
}

function allOptions(from: LogPosition | "start"): streams.ReadReq.Options.AllOptions {
  const options = new Options.AllOptions();
  if (from === "start") return options.setStart(new shared.Empty());
  const position = new Options.Position().setCommitPosition(`${from.commit}`).setPreparePosition(`${from.prepare}`);
  return options.setPosition(position);
}

function commonOptions(): streams.ReadReq.Options {
  return new Options()
    .setReadDirection(Options.ReadDirection.FORWARDS)
    .setNoFilter(new shared.Empty())
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
}

function request(options: streams.ReadReq.Options): streams.ReadReq {
  return new ReadReq().setOptions(options);
}
