import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { LogPosition } from "../../domain/event.ts";

const { ReadReq } = streams;
const EVERYTHING = "9223372036854775807";

/** A filtered subscription has a checkpoint after scanning 32 (the search window) times this many events. */
const CHECKPOINT_INTERVAL = 32;

/** One stream, oldest first, from a revision on. */
export function readStreamRequest(stream: string, fromRevision: bigint): streams.ReadReq {
  return streamRequest(stream, EVERYTHING, (options) => options.setRevision(fromRevision.toString()));
}

/** One stream, newest first. */
export function readStreamBackwardsRequest(stream: string, max: number): streams.ReadReq {
  const request = streamRequest(stream, String(max), (options) => options.setEnd(new shared.Empty()));
  request.getOptions()?.setReadDirection(ReadReq.Options.ReadDirection.BACKWARDS);
  return request;
}

/** The whole log, oldest first, from a position on, itself included. */
export function readAllRequest(from: LogPosition | "start", max: number | null): streams.ReadReq {
  const options = commonOptions(max === null ? EVERYTHING : String(max));
  return request(options.setAll(allOptions(from)));
}

/** The whole log, newest first. */
export function readAllBackwardsRequest(): streams.ReadReq {
  const all = new ReadReq.Options.AllOptions().setEnd(new shared.Empty());
  const options = commonOptions(EVERYTHING).setAll(all);
  return request(options.setReadDirection(ReadReq.Options.ReadDirection.BACKWARDS));
}

/** A subscription to the whole log, or to the streams whose names have one of the prefixes, after a position. */
export function subscribeRequest(
  from: LogPosition | "start",
  streamPrefixes: readonly string[] | undefined,
): streams.ReadReq {
  const options = commonOptions(null).setAll(allOptions(from));
  options.setSubscription(new ReadReq.Options.SubscriptionOptions());
  if (streamPrefixes === undefined) return request(options);
  const expression = new ReadReq.Options.FilterOptions.Expression().setPrefixList([...streamPrefixes]);
  const filter = new ReadReq.Options.FilterOptions().setStreamIdentifier(expression).setCount(new shared.Empty());
  return request(options.setFilter(filter.setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL)));
}

function streamRequest(
  stream: string,
  count: string,
  start: (options: streams.ReadReq.Options.StreamOptions) => streams.ReadReq.Options.StreamOptions,
): streams.ReadReq {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const options = new ReadReq.Options.StreamOptions().setStreamIdentifier(identifier);
  return request(commonOptions(count).setStream(start(options)));
}

function allOptions(from: LogPosition | "start"): streams.ReadReq.Options.AllOptions {
  const options = new ReadReq.Options.AllOptions();
  if (from === "start") return options.setStart(new shared.Empty());
  const position = new ReadReq.Options.Position();
  return options.setPosition(position.setCommitPosition(`${from.commit}`).setPreparePosition(`${from.prepare}`));
}

function commonOptions(count: string | null): streams.ReadReq.Options {
  const options = new ReadReq.Options()
    .setReadDirection(ReadReq.Options.ReadDirection.FORWARDS)
    .setNoFilter(new shared.Empty())
    .setUuidOption(new ReadReq.Options.UUIDOption().setString(new shared.Empty()));
  return count === null ? options : options.setCount(count);
}

function request(options: streams.ReadReq.Options): streams.ReadReq {
  return new ReadReq().setOptions(options);
}
