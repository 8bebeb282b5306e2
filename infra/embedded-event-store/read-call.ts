import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerWritableStream } from "@grpc/grpc-js";
import { RE2JS } from "re2js";
import { internal, invalidArgument, isServiceError, streamDeleted, unexpectedReadResult } from "./grpc-errors.ts";
import { allEvents, type Page, streamEvents } from "./pages.ts";
import { type EventResponses, eventResponses, streamNotFoundResponse } from "./read-responses.ts";
import type { Replica } from "./replicas.ts";
import { MessageSender } from "./slow-clients.ts";
import { storedEventType, storedStreamName } from "./stored-event.ts";
import { isDeleted } from "./stream-metadata.ts";
import { type EventFilter, subscribeToAll, subscribeToStream } from "./subscriptions.ts";

type ReadCall = ServerWritableStream<streams.ReadReq, Buffer>;

/** `Read`: streams and `$all`, in both directions, and subscriptions to both. A call may require the leader. */
export function readCall(replicas: { leader: Replica; follower: Replica }) {
  return (call: ReadCall): void => {
    const [requiresLeader] = call.metadata.get("requires-leader");
    serve(requiresLeader === "true" ? replicas.leader : replicas.follower, call).then(
      () => call.end(),
      (error) => call.emit("error", isServiceError(error) ? error : internal(error)),
    );
  };
}

async function serve(store: Replica, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (!options) throw invalidArgument("options are missing");
  const [all, stream] = [options.getAll(), options.getStream()];
  if (options.hasSubscription() && isBackwards(options)) throw invalidArgument("a subscription cannot run backwards");
  if (stream && options.hasFilter()) throw invalidArgument("the read of a stream cannot have a filter");
  const sender = new MessageSender(call);
  const responseTo = eventResponses(store, {
    textIds: options.getUuidOption()?.hasString() ?? true,
    resolveLinks: options.getResolveLinks(),
  });
  if (all) {
    const filter = eventFilter(options);
    if (options.hasSubscription())
      return subscribeToAll(store, sender, { from: positionBefore(all, store), filter, responseTo });
    const pages = allEvents(store.storage, store.head(), readOfAll(options, all, store));
    return send(sender, pages, { count: Number(options.getCount()), filter, responseTo });
  }
  if (!stream) throw invalidArgument("neither a stream nor $all is named");
  const name = Buffer.from(stream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString("utf8");
  const state = store.storage.stream(name, store.head());
  if (state && state.tombstone !== null) throw streamDeleted(name);
  if (options.hasSubscription())
    return subscribeToStream(store, sender, { name, from: revisionBefore(stream, store, name), responseTo });
  if (!state || state.lastRevision < 0 || isDeleted(state)) {
    sender.send(streamNotFoundResponse(name));
    return;
  }
  const backwards = isBackwards(options);
  if (stream.hasEnd() && !backwards) throw unexpectedReadResult();
  const count = Number(options.getCount());
  const from = stream.hasRevision() ? Number(stream.getRevision()) : stream.hasEnd() ? Infinity : 0;
  const pages = streamEvents(store.storage, state, { from, backwards, count });
  return send(sender, pages, { count, filter: null, responseTo });
}

interface Sent {
  /** Maximum events that are sent. */
  readonly count: number;
  readonly filter: EventFilter | null;
  readonly responseTo: EventResponses;
}

async function send(sender: MessageSender, pages: Iterable<Page>, { count, filter, responseTo }: Sent): Promise<void> {
  let left = count;
  for (const page of pages) {
    for (const event of page) {
      if (sender.ended || left === 0) return;
      if (filter && !filter.accepts(event.bytes)) continue;
      left -= 1;
      if (!sender.send(responseTo(event))) await sender.ready();
    }
    // A filter may skip many events: yields to other calls.
    if (filter) await new Promise((resolve) => setImmediate(resolve));
  }
}

function isBackwards(options: streams.ReadReq.Options): boolean {
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
}

/** Forwards from a position includes it; backwards from a position starts before it. */
function readOfAll(options: streams.ReadReq.Options, all: streams.ReadReq.Options.AllOptions, store: Replica) {
  const backwards = isBackwards(options);
  const end = store.head() + 1;
  const position = all.hasPosition() ? Number(all.getPosition()?.getCommitPosition()) : all.hasEnd() ? end : 0;
  const from = backwards ? Math.min(position, end) - 1 : Math.max(1, position);
  return { from, backwards, count: options.hasFilter() ? Infinity : Number(options.getCount()) };
}

/** A subscription starts after the position that it names. */
function positionBefore(all: streams.ReadReq.Options.AllOptions, store: Replica): number {
  if (all.hasEnd()) return store.head();
  return all.hasPosition() ? Number(all.getPosition()?.getCommitPosition()) : 0;
}

function revisionBefore(stream: streams.ReadReq.Options.StreamOptions, store: Replica, name: string): number {
  if (stream.hasEnd()) return store.storage.stream(name, store.head())?.lastRevision ?? -1;
  return stream.hasRevision() ? Number(stream.getRevision()) : -1;
}

const maxRegexLength = 1_000;
/** EventStoreDB's search window when a client names none. */
const defaultWindow = 32;

/** Reads the filter of a read of `$all`, or of a subscription to it; null when there is none. */
function eventFilter(options: streams.ReadReq.Options): EventFilter | null {
  const filter = options.getFilter();
  if (!filter) return null;
  const window = filter.hasMax() ? filter.getMax() : defaultWindow;
  const checkpointInterval = Math.max(1, window * filter.getCheckpointintervalmultiplier());
  const byStream = filter.getStreamIdentifier();
  const byType = filter.getEventType();
  if (byStream) return { accepts: matcher(byStream, storedStreamName), checkpointInterval };
  if (byType) return { accepts: matcher(byType, storedEventType), checkpointInterval };
  throw invalidArgument("a filter needs an expression on the stream or on the event type");
}

function matcher(
  expression: streams.ReadReq.Options.FilterOptions.Expression,
  subject: (bytes: Buffer) => Buffer,
): EventFilter["accepts"] {
  const prefixes = expression.getPrefixList().map((prefix) => Buffer.from(prefix));
  if (prefixes.length > 0) {
    return (bytes) => {
      const text = subject(bytes);
      return prefixes.some((prefix) => text.length >= prefix.length && prefix.compare(text, 0, prefix.length) === 0);
    };
  }
  const pattern = compiled(expression.getRegex());
  return (bytes) => pattern.test(subject(bytes).toString("utf8"));
}

/** In RE2's dialect, which matches in linear time: the expression of one client must not block the store. */
function compiled(regex: string): RE2JS {
  if (regex.length > maxRegexLength) throw invalidArgument(`the expression has over ${maxRegexLength} characters`);
  try {
    return RE2JS.compile(regex);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidArgument(`"${regex}" is not a regular expression of RE2: ${reason}`);
  }
}
