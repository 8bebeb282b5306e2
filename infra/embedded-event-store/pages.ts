import type { Storage, StreamState } from "./storage.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Events read from the disk at once: some, so that reading and sending alternate. */
export type Page = readonly StoredEvent[];

const PAGE_EVENTS = 256;
const PAGE_BYTES = 256 * 1024;

export interface ReadRange {
  /** First position, or revision, that is read. Beyond the end in a backwards read: the last one. */
  readonly from: number;
  readonly backwards: boolean;
  readonly count: number;
}

/** The whole log from a position on, up to the head at the time of the call. */
export function* allEvents(storage: Storage, { from, backwards, count }: ReadRange): Generator<Page> {
  const head = storage.head;
  let at = from;
  let left = backwards ? count : Math.min(count, head - from + 1);
  while (left > 0) {
    const limit = Math.min(left, PAGE_EVENTS);
    const page = backwards ? storage.eventsDownFrom(at, limit, PAGE_BYTES) : storage.eventsFrom(at, limit, PAGE_BYTES);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    left -= page.length;
    at = backwards ? last.position - 1 : last.position + 1;
  }
}

/** One stream from a revision on, up to its last event at the time of the call. */
export function* streamEvents(storage: Storage, stream: StreamState, range: ReadRange): Generator<Page> {
  const { lastRevision } = stream;
  if (range.backwards) {
    const first = Math.min(range.from, lastRevision);
    yield* down(storage, stream, first, Math.min(range.count, first + 1));
  } else {
    yield* up(storage, stream, range.from, Math.min(range.count, lastRevision - range.from + 1));
  }
}

function* up(storage: Storage, stream: StreamState, from: number, count: number): Generator<Page> {
  let revision = from;
  const end = from + count;
  while (revision < end) {
    const run = storage.runAt(stream.number, revision);
    const limit = Math.min(run.firstRevision + run.count, end) - revision;
    const position = run.firstPosition + revision - run.firstRevision;
    const page = storage.eventsFrom(position, Math.min(limit, PAGE_EVENTS), PAGE_BYTES);
    if (page.length === 0) return;
    yield page;
    revision += page.length;
  }
}

function* down(storage: Storage, stream: StreamState, from: number, count: number): Generator<Page> {
  let revision = from;
  const end = from - count;
  while (revision > end) {
    const run = storage.runAt(stream.number, revision);
    const limit = revision - Math.max(run.firstRevision - 1, end);
    const position = run.firstPosition + revision - run.firstRevision;
    const page = storage.eventsDownFrom(position, Math.min(limit, PAGE_EVENTS), PAGE_BYTES);
    if (page.length === 0) return;
    yield page;
    revision -= page.length;
  }
}
