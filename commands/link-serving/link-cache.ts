import { LRUCache } from "lru-cache";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { isInCategory, streamId, trackingLinkStream } from "../../domain/streams.ts";
import type { TrackingLinkEvent } from "../../domain/tracking-links/events.ts";
import { type LiveLink, type TrackingLinkState, trackingLink } from "../../domain/tracking-links/tracking-link.ts";
import { type EventLog, EventLogUnavailable } from "../../infra/event-log/event-log.ts";

export interface CachedLink {
  readonly link: LiveLink;
  /** Of the last event of the link's stream that is in `link`. */
  readonly revision: bigint;
}

/** The links that are being clicked, bounded, as new as the tail of the log. */
export interface LinkCache {
  /**
   * The link, or null when there is none: at once from memory, else from its stream, else, when the event log does not
   * answer soon, from the read model.
   * @throws {EventLogUnavailable} when nobody can say whether there is such a link, or too many are looked for already
   */
  find(linkId: number): CachedLink | null | Promise<CachedLink | null>;
  /** Takes what the tail of the log delivers, in log order; events of other streams are passed over. */
  apply(events: readonly RecordedEvent[]): void;
  /** Forgets that a link was looked for in vain. */
  forgetMiss(linkId: number): void;
}

export interface LinkCacheOptions {
  readonly log: Pick<EventLog, "read">;
  /** The link as the read model has it; null when it has none. */
  readonly storedLink: (linkId: number) => Promise<CachedLink | null>;
  /** How long a stream is waited for while the read model has the link, in milliseconds (default 400). */
  readonly logTimeoutMs?: number;
  /** Links kept, at most (default 50,000). */
  readonly maxLinks?: number;
  /** Milliseconds; never goes back. */
  readonly now?: () => number;
}

const mostBytes = 24 * 1024 * 1024;
const mostMisses = 10_000;
const missKeptFor = 2_000;
/** A fill may come from a replica that lags behind the tail by so much. */
const changeKeptFor = 5 * 60_000;
const mostFills = 3;
/** Links that are looked for at the same time, by visitors or by strangers who guess. */
const mostFilling = 1_000;

export function createLinkCache(options: LinkCacheOptions): LinkCache {
  const logTimeoutMs = options.logTimeoutMs ?? 400;
  const clock = { perf: { now: options.now ?? (() => performance.now()) }, ttlResolution: 0 };
  const links = new LRUCache<number, CachedLink>({
    max: options.maxLinks ?? 50_000,
    maxSize: mostBytes,
    sizeCalculation: ({ link }) => 2 * JSON.stringify(link).length,
  });
  const misses = new LRUCache<number, true>({ max: mostMisses, ttl: missKeptFor, ...clock });
  /** Revisions that the tail has delivered: what a fill must have reached to be kept. */
  const recentChanges = new LRUCache<number, bigint>({ max: mostMisses, ttl: changeKeptFor, ...clock });
  const filling = new Map<number, Promise<CachedLink | null>>();

  /** A link that the read model does not have may be a new one: only the log can say. */
  async function read(linkId: number): Promise<{ readonly found: CachedLink | null; readonly isStored: boolean }> {
    const streamed = readStream(options.log, linkId);
    const inTime = await whenSettled(streamed, logTimeoutMs);
    if (inTime !== "late" && !(inTime instanceof EventLogUnavailable)) {
      return { found: await streamed, isStored: false };
    }
    const stored = await options.storedLink(linkId).catch(() => null);
    return stored === null ? { found: await streamed, isStored: false } : { found: stored, isStored: true };
  }

  async function fill(linkId: number): Promise<CachedLink | null> {
    let found: CachedLink | null = null;
    for (let attempt = 0; attempt < mostFills; attempt += 1) {
      const answer = await read(linkId);
      found = answer.found;
      const reached = found?.revision ?? -1n;
      if (reached >= (recentChanges.get(linkId) ?? -1n)) {
        if (found === null) misses.set(linkId, true);
        else links.set(linkId, found);
        return found;
      }
      if (answer.isStored) return found;
    }
    return found;
  }

  function apply(event: RecordedEvent<TrackingLinkEvent>): void {
    const linkId = Number(streamId(event.stream));
    recentChanges.set(linkId, event.revision);
    misses.delete(linkId);
    const known = links.peek(linkId);
    if (known === undefined || event.revision <= known.revision) return;
    const state: TrackingLinkState = { stage: "live", link: known.link };
    const next = trackingLink.evolve(state, event);
    if (event.revision > known.revision + 1n || next.stage === "absent") links.delete(linkId);
    else links.set(linkId, { link: next.link, revision: event.revision });
  }

  return {
    find(linkId) {
      const known = links.get(linkId);
      if (known !== undefined) return known;
      if (misses.has(linkId)) return null;
      let fillingNow = filling.get(linkId);
      if (fillingNow === undefined) {
        if (filling.size >= mostFilling)
          return Promise.reject(new EventLogUnavailable("Too many links are looked for"));
        fillingNow = fill(linkId).finally(() => filling.delete(linkId));
        filling.set(linkId, fillingNow);
      }
      return fillingNow;
    },
    apply(events) {
      for (const event of events) if (isInCategory(event, "trackingLink")) apply(event);
    },
    forgetMiss(linkId) {
      misses.delete(linkId);
    },
  };
}

/** What it was rejected with, null when it resolved, "late" when it takes longer. */
async function whenSettled(outcome: Promise<unknown>, milliseconds: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, milliseconds, "late");
  });
  const settled = outcome.then(
    () => null,
    (error: unknown) => error,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

async function readStream(log: Pick<EventLog, "read">, linkId: number): Promise<CachedLink | null> {
  let state = trackingLink.initialState;
  let revision = -1n;
  for await (const recorded of log.read(trackingLinkStream(linkId))) {
    state = trackingLink.evolve(state, recorded);
    revision = recorded.revision;
  }
  return state.stage === "absent" ? null : { link: state.link, revision };
}
