import type { Storage, StreamState } from "./storage.ts";
import { type EncodedEvent, storedCreatedAt } from "./stored-event.ts";

/** Events read from disk at once. Pages are small, so that reading and sending alternate. */
export type Page = readonly EncodedEvent[];

const pageEvents = 256;
const pageBytes = 256 * 1024;

interface ReadRange {
  /** First position, or revision, that is read. Beyond the end in a backwards read: the last one. */
  readonly from: number;
  readonly backwards: boolean;
  readonly count: number;
}

/** The whole log from a position on, up to `head`. */
export function* allEvents(storage: Storage, head: number, { from, backwards, count }: ReadRange): Generator<Page> {
  let at = backwards ? Math.min(from, head) : from;
  let left = backwards ? count : Math.min(count, head - from + 1);
  while (left > 0) {
    const page = pageFrom(storage, at, left, backwards);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    left -= page.length;
    at = last.position + (backwards ? -1 : 1);
  }
}

/** One stream from a revision on, up to its last event at the time of the call, as far as its metadata allow. */
export function* streamEvents(
  storage: Storage,
  state: StreamState,
  { from, backwards, count }: ReadRange,
): Generator<Page> {
  const { number, lastRevision } = state;
  const first = firstReadableRevision(storage, state);
  let revision = backwards ? Math.min(from, lastRevision) : Math.max(from, first);
  let left = Math.min(count, backwards ? revision - first + 1 : lastRevision - revision + 1);
  while (left > 0) {
    const run = storage.runAt(number, revision);
    const place = revision - run.firstRevision;
    const ofRun = backwards ? place + 1 : run.count - place;
    const page = pageFrom(storage, run.firstPosition + place, Math.min(left, ofRun), backwards);
    if (page.length === 0) return;
    yield page;
    left -= page.length;
    revision += backwards ? -page.length : page.length;
  }
}

/** The first revision of a stream that may be read; beyond its last one when there is none. */
export function firstReadableRevision(storage: Storage, { number, lastRevision, metadata }: StreamState): number {
  if (metadata === null) return 0;
  const { truncateBefore, maxCount, maxAge } = metadata;
  const first = Math.max(truncateBefore, maxCount === null ? 0 : lastRevision + 1 - maxCount);
  if (maxAge === null) return first;
  const since = Date.now() - maxAge * 1_000;
  let [low, high] = [first, lastRevision + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (storedCreatedAt(storage.event(storage.positionOf(number, middle))) < since) low = middle + 1;
    else high = middle;
  }
  return low;
}

function pageFrom(storage: Storage, position: number, limit: number, backwards: boolean): Page {
  const most = Math.min(limit, pageEvents);
  return backwards ? storage.eventsDownFrom(position, most, pageBytes) : storage.eventsFrom(position, most, pageBytes);
}
