import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerWritableStream } from "@grpc/grpc-js";
import { PacedWrites } from "./back-pressure.ts";
import type { Authenticate } from "./credentials.ts";
import { eventFilter } from "./event-filter.ts";
import { allEvents, type Page, streamEvents } from "./pages.ts";
import { eventResponse, streamNotFoundResponse } from "./responses.ts";
import { internal, invalidArgument, isServiceError, streamDeleted } from "./statuses.ts";
import { type Readable, subscribeToAll, subscribeToStream } from "./subscriptions.ts";

type ReadCall = ServerWritableStream<streams.ReadReq, Buffer>;

/** `Read`: streams and `$all`, both directions, and subscriptions to both. */
export function readCall(store: Readable, authenticate: Authenticate) {
  return (call: ReadCall): void => {
    const refusal = authenticate(call.metadata);
    if (refusal) {
      call.emit("error", refusal);
      return;
    }
    serve(store, call).then(
      () => call.end(),
      (error) => call.emit("error", isServiceError(error) ? error : internal(error)),
    );
  };
}

async function serve(store: Readable, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (!options) throw invalidArgument("options are missing");
  const writes = new PacedWrites(call);
  const textIds = options.getUuidOption()?.hasString() ?? true;
  const all = options.getAll();
  const stream = options.getStream();
  if (all && options.hasSubscription())
    return subscribeToAll(store, writes, { from: positionBefore(all, store), filter: eventFilter(options), textIds });
  if (all) return send(writes, allEvents(store.storage, readOfAll(options, all, store)), textIds);
  if (!stream) throw invalidArgument("neither a stream nor $all is named");
  const name = Buffer.from(stream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString("utf8");
  const state = store.storage.stream(name);
  if (state && state.tombstone !== null) throw streamDeleted(name);
  if (options.hasSubscription())
    return subscribeToStream(store, writes, { name, from: revisionBefore(stream, store, name), textIds });
  if (!state) {
    writes.send(streamNotFoundResponse(name));
    return;
  }
  const backwards = isBackwards(options);
  const from = stream.hasRevision() ? Number(stream.getRevision()) : stream.hasEnd() ? Infinity : 0;
  const pages = streamEvents(store.storage, state, { from, backwards, count: Number(options.getCount()) });
  return send(writes, pages, textIds);
}

async function send(writes: PacedWrites, pages: Iterable<Page>, textIds: boolean): Promise<void> {
  for (const page of pages) {
    for (const event of page) {
      if (writes.ended) return;
      if (!writes.send(eventResponse(event, textIds))) await writes.ready();
    }
  }
}

function isBackwards(options: streams.ReadReq.Options): boolean {
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
}

/** Forwards from a position includes it; backwards from a position starts before it. */
function readOfAll(options: streams.ReadReq.Options, all: streams.ReadReq.Options.AllOptions, store: Readable) {
  const backwards = isBackwards(options);
  const end = store.storage.head + 1;
  const position = all.hasPosition() ? Number(all.getPosition()?.getCommitPosition()) : all.hasEnd() ? end : 0;
  const from = backwards ? Math.min(position, end) - 1 : position;
  return { from, backwards, count: Number(options.getCount()) };
}

/** A subscription starts after the position that it names. */
function positionBefore(all: streams.ReadReq.Options.AllOptions, store: Readable): number {
  if (all.hasEnd()) return store.storage.head;
  return all.hasPosition() ? Number(all.getPosition()?.getCommitPosition()) : 0;
}

function revisionBefore(stream: streams.ReadReq.Options.StreamOptions, store: Readable, name: string): number {
  if (stream.hasEnd()) return store.storage.stream(name)?.lastRevision ?? -1;
  return stream.hasRevision() ? Number(stream.getRevision()) : -1;
}
