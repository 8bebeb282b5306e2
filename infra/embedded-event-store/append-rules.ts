/** Expected revision of a stream that is appended to. */
export type Expectation = "any" | "no_stream" | "stream_exists" | number;

/** The stream that the rules decide on, with all appends decided before this one. */
export interface StreamFacts {
  /** -1 when it has no events. */
  readonly lastRevision: number;
  readonly closed: boolean;
  /** Deleted until the next append, which goes on with the revisions. */
  readonly deleted: boolean;
  readonly hasMetadata: boolean;
  /** Id of the event at a revision at or below the last one. */
  readonly idAt: (revision: number) => string;
  /** Revision of an event within the idempotency window; null when there is none. */
  readonly recentRevisionOf: (id: string) => number | null;
}

export type AppendDecision =
  | { readonly kind: "write" }
  /** The same events are stored already; the last of them at `revision`. */
  | { readonly kind: "already_written"; readonly revision: number }
  | { readonly kind: "wrong_expected_revision" }
  | { readonly kind: "stream_closed" };

const writeDecision: AppendDecision = { kind: "write" };
const wrongRevision: AppendDecision = { kind: "wrong_expected_revision" };
const streamClosed: AppendDecision = { kind: "stream_closed" };

/** Decides an append by the rules of EventStoreDB, including idempotent repeats. */
export function decideAppend(stream: StreamFacts, expected: Expectation, ids: readonly string[]): AppendDecision {
  if (stream.closed) return streamClosed;
  if (expected === "stream_exists" && stream.deleted) return streamClosed;
  if (expected === "stream_exists" && stream.lastRevision < 0 && !stream.hasMetadata) return wrongRevision;
  if (expected === "any" || expected === "stream_exists") return withoutRevision(stream, ids);
  const revision = expected === "no_stream" ? -1 : expected;
  if (revision > stream.lastRevision) return wrongRevision;
  if (revision === stream.lastRevision) return writeDecision;
  const beginsAgain = expected === "no_stream" && stream.deleted && ids.length > 0 && stream.idAt(0) !== ids[0];
  return beginsAgain ? writeDecision : repeatedAt(stream, revision + 1, ids);
}

/** When the first id is new, everything is written; otherwise all ids must be known. */
function withoutRevision(stream: StreamFacts, ids: readonly string[]): AppendDecision {
  let last: number | null = null;
  for (const id of ids) {
    const revision = stream.recentRevisionOf(id);
    if (revision === null) return last === null ? writeDecision : wrongRevision;
    last = revision;
  }
  return last === null ? writeDecision : { kind: "already_written", revision: last };
}

function repeatedAt(stream: StreamFacts, first: number, ids: readonly string[]): AppendDecision {
  const last = first + ids.length - 1;
  if (ids.length === 0 || last > stream.lastRevision) return wrongRevision;
  const same = ids.every((id, index) => stream.idAt(first + index) === id);
  return same ? { kind: "already_written", revision: last } : wrongRevision;
}
