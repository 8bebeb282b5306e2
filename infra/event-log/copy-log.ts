import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition } from "../../domain/event.ts";
import { logClaimsStream } from "../../domain/streams.ts";
import { appendSize, maxAppendBytes } from "./append-request.ts";
import { metadataOfCopy, type StoredContent } from "./codec.ts";
import { AppendTooLarge, EventLogUnavailable, maxAppendEvents } from "./event-log.ts";
import { type StoredLog, samePosition } from "./stored-log.ts";

/** The log cannot be copied as requested; the message says why, and what to do. */
export class LogCopyRefused extends Error {
  override readonly name = "LogCopyRefused";
}

/** One of the two event stores has failed; `cause` is its failure. */
export class CopiedStoreFailed extends Error {
  override readonly name = "CopiedStoreFailed";
  readonly store: "source" | "target";
  constructor(store: "source" | "target", cause: unknown) {
    super(`The ${store} of the copy has failed`, { cause });
    this.store = store;
  }
}

export interface CopiedLog {
  /** Events that were appended to the target now. */
  readonly copied: number;
  /** Events that the target has. */
  readonly events: number;
  /** Position of the last of them in the source. */
  readonly position: bigint;
}

type Show = (step: "comparing" | "copying" | "checking", share: number) => void;

/** How far two logs are known to be the same. */
interface Compared {
  readonly source: LogPosition | "start";
  readonly target: LogPosition | "start";
  readonly events: number;
}

const emptyAdvice = "Copy to an event store, or under a --to-prefix, that has no log yet.";
/** How long an append is retried while a cluster elects a leader. */
const appendRetryForMs = 60_000;
const appendRetryMs = 500;

/**
 * Copies the log up to its current head, from where an earlier copy to this target ended. Events keep their ids,
 * revisions, data and order; the time at which the source recorded them goes into their metadata. Claims are left out:
 * the target belongs to the instance that starts on it (docs/decisions/024). Fails if anything else appends to the
 * target meanwhile, another copy included; no event is copied twice.
 * @throws {LogCopyRefused} when the target does not have the first events of the source, and these alone
 * @throws {CopiedStoreFailed}
 */
export async function copyLog(from: StoredLog, to: StoredLog, show: Show): Promise<CopiedLog> {
  const source = namedInFailures(from, "source");
  const target = namedInFailures(to, "target");
  const head = await source.headPosition();
  if (head === null)
    throw new LogCopyRefused(
      "The source has no log: no instance has ever started on it. Set DATA_DIR or EVENTSTORE_URL to another one.",
    );
  const shareOf = ({ source: place }: Compared): number =>
    place === "start" ? 0 : Math.min(1, Number(place.commit) / Number(head.commit));

  const found = await compare({ source, target }, { source: "start", target: "start", events: 0 }, (reached) =>
    show("comparing", shareOf(reached)),
  );
  let copied = 0;
  for await (const run of runsOf(source, found.source, head)) {
    await appendRun(target, run);
    copied += run.length;
    show("copying", Number(run.at(-1)?.position.commit) / Number(head.commit));
  }
  const { source: position, events } = await compare({ source, target }, found, (reached) =>
    show("checking", shareOf(reached)),
  );
  if (events < found.events + copied || position === "start") {
    throw new LogCopyRefused(
      `The target has lost events: it has ${events} of ${found.events + copied}. ${emptyAdvice}`,
    );
  }
  return { copied, events, position: position.commit };
}

function namedInFailures(log: StoredLog, store: CopiedStoreFailed["store"]): StoredLog {
  const fail = (cause: unknown): never => {
    throw new CopiedStoreFailed(store, cause);
  };
  return {
    ...log,
    headPosition: () => log.headPosition().catch(fail),
    append: (...append) => log.append(...append).catch(fail),
    readAll: async function* (from) {
      try {
        yield* log.readAll(from);
      } catch (cause) {
        fail(cause);
      }
    },
  };
}

/** Reads both logs to the end of the target, whose events must be those of the source; returns how far they agree. */
async function compare(
  { source, target }: { readonly source: StoredLog; readonly target: StoredLog },
  from: Compared,
  onReached: (reached: Compared) => void,
): Promise<Compared> {
  const expected = copiesOf(source.readAll(from.source));
  let reached = from;
  try {
    for await (const event of target.readAll(from.target)) {
      const { value: original, done } = await expected.next();
      if (event.stream === logClaimsStream) {
        throw new LogCopyRefused(`An instance has started on the target. ${emptyAdvice}`);
      }
      if (done || original === undefined) {
        throw new LogCopyRefused(
          `The target has events that the source does not have: after ${reached.events} it has ${named(event)}. ${emptyAdvice}`,
        );
      }
      if (isSame(event, original)) {
        throw new LogCopyRefused(
          `Source and target are the same event store, or one is a backup of the other. ${emptyAdvice}`,
        );
      }
      if (!isCopy(event, original)) {
        throw new LogCopyRefused(
          `The target is no copy of the source: after ${reached.events} events it has ${named(event)}, the source ` +
            `${named(original)}. ${emptyAdvice}`,
        );
      }
      reached = { source: original.position, target: event.position, events: reached.events + 1 };
      onReached(reached);
    }
    return reached;
  } finally {
    await expected.return(undefined);
  }
}

/** The events as they are in a copy, at the positions of the source. */
async function* copiesOf(events: AsyncIterable<StoredContent>): AsyncGenerator<StoredContent, undefined> {
  for await (const event of events) {
    if (event.stream !== logClaimsStream) yield { ...event, metadata: metadataOfCopy(event) };
  }
}

function isCopy(event: StoredContent, original: StoredContent): boolean {
  return (
    event.id === original.id &&
    event.stream === original.stream &&
    event.revision === original.revision &&
    event.type === original.type &&
    event.isJson === original.isJson &&
    event.data.equals(original.data) &&
    event.metadata.equals(original.metadata)
  );
}

/** A copy is stored later; two events of one store have two positions. */
function isSame(event: StoredContent, original: StoredContent): boolean {
  return (
    event.id === original.id &&
    samePosition(event.position, original.position) &&
    event.recordedAt.getTime() === original.recordedAt.getTime()
  );
}

/** What follows `from` up to `head`, in runs of one stream that are an append each. */
async function* runsOf(
  source: StoredLog,
  from: LogPosition | "start",
  head: LogPosition,
): AsyncGenerator<readonly StoredContent[]> {
  let run: StoredContent[] = [];
  let bytes = 0;
  for await (const event of copiesOf(source.readAll(from))) {
    if (event.position.commit > head.commit) break;
    const size = appendSize(event);
    const isFull = run.length === maxAppendEvents || bytes + size > maxAppendBytes;
    if (run.length > 0 && (isFull || run[0]?.stream !== event.stream)) {
      yield run;
      run = [];
      bytes = 0;
    }
    run.push(event);
    bytes += size;
  }
  if (run.length > 0) yield run;
}

async function appendRun(target: StoredLog, run: readonly StoredContent[]): Promise<void> {
  const [first] = run;
  if (first === undefined) return;
  const { stream, revision } = first;
  if (run.some((event, index) => event.revision !== revision + BigInt(index))) throw hasGap(stream);
  const appended = await appendWithRetry(target, run, revision === 0n ? "no_stream" : revision - 1n);
  if (appended.outcome === "appended") return;
  if ((appended.actual ?? -1n) < revision - 1n) throw hasGap(stream);
  throw new LogCopyRefused(
    `Someone else has appended to ${stream} of the target meanwhile. If it was another copy, run the command again once that has ended.`,
  );
}

async function appendWithRetry(
  target: StoredLog,
  run: readonly StoredContent[],
  expected: Parameters<StoredLog["append"]>[1],
): ReturnType<StoredLog["append"]> {
  const deadline = performance.now() + appendRetryForMs;
  for (;;) {
    try {
      return await target.append(run[0]?.stream ?? "", expected, run);
    } catch (failure) {
      const { cause } = failure as CopiedStoreFailed;
      if (cause instanceof AppendTooLarge) {
        throw new LogCopyRefused(
          `The target refuses ${run.slice(0, 1).map(named)} as too large: ${cause.message} Raise its limit, or copy to another one.`,
        );
      }
      if (!(cause instanceof EventLogUnavailable) || performance.now() > deadline) throw failure;
      await delay(appendRetryMs);
    }
  }
}

function hasGap(stream: string): LogCopyRefused {
  return new LogCopyRefused(
    `Events were removed from stream ${stream} of the source, so that a copy cannot keep its revisions. It cannot be copied: go on with this event store.`,
  );
}

function named({ type, stream, revision }: StoredContent): string {
  return `${type} ${revision} of ${stream}`;
}
