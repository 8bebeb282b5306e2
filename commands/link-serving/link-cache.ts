import { LRUCache } from "lru-cache";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { isInCategory, streamId, trackingLinkStream } from "../../domain/streams.ts";
import type { TrackingLinkEvent } from "../../domain/tracking-links/events.ts";
import { type LiveLink, type TrackingLinkState, trackingLink } from "../../domain/tracking-links/tracking-link.ts";
import { minuteMs } from "../../domain/values/instants.ts";
import { type EventLog, EventLogUnavailable } from "../../infra/event-log/event-log.ts";
import { createConcurrencyLimit } from "../../infra/process/concurrency-limit.ts";
import { TimeLimitExceeded, within } from "../../infra/process/time-limit.ts";
import { EventUnreadable, isReadable } from "../readable-event.ts";
import { readState } from "../state-cache.ts";

export interface CachedLink {
  readonly link: LiveLink;
  /** Revision of the last event included in `link`. */
  readonly revision: bigint;
}

/** Recently clicked links, bounded, as current as the tail of the log. */
export interface LinkCache {
  /** The link from memory, null if there was none within the last two seconds; undefined if it must be looked up. */
  cached(linkId: number): CachedLink | null | undefined;
  /**
   * The link, or null if there is none: synchronously from memory, else from its stream, else, if the event log times
   * out, from the read model.
   * @throws {EventLogUnavailable} if neither source can be read, or too many links are being looked up
   */
  find(linkId: number): CachedLink | null | Promise<CachedLink | null>;
  /**
   * The same for ingest and back-fill, whose callers may name any number of links: a look-up waits while 64 of these are in
   * progress, so that the links of visitors have places.
   */
  findForIngest(linkId: number): CachedLink | null | Promise<CachedLink | null>;
  /** Applies events from the tail of the log, in log order; events of other streams are ignored. */
  apply(events: readonly RecordedEvent[]): void;
  /** Drops a cached miss, after a link was created. */
  forgetMiss(linkId: number): void;
}

export interface LinkCacheOptions {
  readonly log: Pick<EventLog, "read">;
  /** The link in the read model; null if it has none. */
  readonly storedLink: (linkId: number) => Promise<CachedLink | null>;
  /** Time limit for reading the stream if the read model has the link, in milliseconds (default 400). */
  readonly logTimeoutMs?: number;
  /** Maximum cached links (default 50,000). */
  readonly maxLinks?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const maxBytes = 24 * 1024 * 1024;
const maxMisses = 10_000;
const missTtlMs = 2_000;
/** Maximum lag of a replica that a stream may be read from. */
const changeTtlMs = 5 * minuteMs;
const maxReads = 3;
/** Concurrent look-ups, including guessed ids. */
const maxLookUps = 1_000;
/** Concurrent look-ups of ingest and back-fill, as part of these, and how many more of them may wait. */
const maxIngestLookUps = 64;
const maxWaitingLookUps = 500;

/** An empty cache: links enter it when they are looked up, in at most 24 MiB, and concurrent look-ups of one link are one. */
export function createLinkCache(options: LinkCacheOptions): LinkCache {
  const logTimeoutMs = options.logTimeoutMs ?? 400;
  const clock = { perf: { now: options.now ?? (() => performance.now()) }, ttlResolution: 0 };
  const links = new LRUCache<number, CachedLink>({
    max: options.maxLinks ?? 50_000,
    maxSize: maxBytes,
    sizeCalculation: ({ link }) => 2 * JSON.stringify(link).length,
  });
  const misses = new LRUCache<number, true>({ max: maxMisses, ttl: missTtlMs, ...clock });
  /** Revisions delivered by the tail: a link that is older must not be cached. */
  const recentChanges = new LRUCache<number, bigint>({ max: maxMisses, ttl: changeTtlMs, ...clock });
  const lookUps = new Map<number, Promise<CachedLink | null>>();

  /** Waits for the log if the read model lacks the link, which may be new. */
  async function read(linkId: number): Promise<{ readonly found: CachedLink | null; readonly isStored: boolean }> {
    const streamed = readLink(options.log, linkId);
    try {
      return { found: await within(logTimeoutMs, streamed), isStored: false };
    } catch (failure) {
      const reasons = [TimeLimitExceeded, EventLogUnavailable, EventUnreadable];
      if (!reasons.some((reason) => failure instanceof reason)) throw failure;
    }
    const stored = await options.storedLink(linkId).catch(() => null);
    return stored === null ? { found: await streamed, isStored: false } : { found: stored, isStored: true };
  }

  async function lookUp(linkId: number): Promise<CachedLink | null> {
    let found: CachedLink | null = null;
    for (let reads = 0; reads < maxReads; reads += 1) {
      const result = await read(linkId);
      found = result.found;
      if ((found?.revision ?? -1n) >= (recentChanges.get(linkId) ?? -1n)) {
        if (found === null) misses.set(linkId, true);
        else links.set(linkId, found);
        return found;
      }
      if (result.isStored) return found;
    }
    return found;
  }

  function apply(event: RecordedEvent<TrackingLinkEvent>): void {
    const linkId = Number(streamId(event.stream));
    recentChanges.set(linkId, event.revision);
    misses.delete(linkId);
    const known = links.peek(linkId);
    if (known === undefined || event.revision <= known.revision) return;
    if (event.revision > known.revision + 1n || !isReadable(event)) {
      links.delete(linkId);
      return;
    }
    // The cache does not store whether a link is archived, because archived links are served like others.
    const state: TrackingLinkState = { stage: "live", link: known.link, isArchived: false };
    const next = trackingLink.evolve(state, event);
    if (next.stage === "absent") links.delete(linkId);
    else links.set(linkId, { link: next.link, revision: event.revision });
  }

  const cached = (linkId: number): CachedLink | null | undefined =>
    links.get(linkId) ?? (misses.has(linkId) ? null : undefined);

  const tooMany = (): Error => new EventLogUnavailable("Too many links are looked up");
  const find = (linkId: number): CachedLink | null | Promise<CachedLink | null> => {
    const known = cached(linkId);
    if (known !== undefined) return known;
    let finding = lookUps.get(linkId);
    if (finding === undefined) {
      if (lookUps.size >= maxLookUps) return Promise.reject(tooMany());
      finding = lookUp(linkId).finally(() => lookUps.delete(linkId));
      lookUps.set(linkId, finding);
    }
    return finding;
  };
  const ingestLimit = createConcurrencyLimit(maxIngestLookUps);
  /** Those that ingest began, also the waiting ones: many events can name one link. */
  const ingestLookUps = new Map<number, Promise<CachedLink | null>>();

  return {
    cached,
    find,
    findForIngest(linkId) {
      const known = cached(linkId);
      if (known !== undefined) return known;
      let finding = lookUps.get(linkId) ?? ingestLookUps.get(linkId);
      if (finding === undefined) {
        if (ingestLimit.waiting() >= maxWaitingLookUps) return Promise.reject(tooMany());
        finding = ingestLimit.run(async () => find(linkId)).finally(() => ingestLookUps.delete(linkId));
        ingestLookUps.set(linkId, finding);
      }
      return finding;
    },
    apply(events) {
      for (const event of events) if (isInCategory(event, "trackingLink")) apply(event);
    },
    forgetMiss(linkId) {
      misses.delete(linkId);
    },
  };
}

async function readLink(log: Pick<EventLog, "read">, linkId: number): Promise<CachedLink | null> {
  const { state, revision } = await readState(log, trackingLink, trackingLinkStream(linkId));
  return state.stage === "absent" ? null : { link: state.link, revision };
}
