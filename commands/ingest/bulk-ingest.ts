import { LRUCache } from "lru-cache";
import type { LogPosition } from "../../domain/event.ts";
import type { StoredEvent } from "../../domain/event-catalogue.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import { translate } from "../../infra/http/i18n/translate.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { type Reply, type RouteRequest, refuse, reply } from "../../infra/http/routing/route.ts";
import { type Journal, JournalFull, type Journals } from "../journals/journal.ts";
import { causeOf, sharedMetadata } from "../metadata.ts";

/**
 * Facts known lately, at most: what `duplicates` is counted by; the read models count exactly
 * (contract/ingest.md#event-fields).
 */
const mostRecent = 100_000;

/**
 * How the bodies of bulk ingest are taken: 5 MiB as sent and inflated, each item judged by itself. A million members
 * are more than such a body has of any use, and parsed soon.
 */
export const bulkIngestBody = {
  bodyLimit: 5 * 1024 * 1024,
  mostMembers: 1_000_000,
  gzip: true,
  judgesItems: true,
} as const;

/** A fact out of a request's item. */
export interface AcceptedItem {
  /** Its deduplication key: a lower-case UUID, which becomes the id of its event. */
  readonly id: string;
  readonly event: StoredEvent;
  /** The device that it names, with its key (contract/ingest.md#devices). */
  readonly device: { readonly id: string; readonly key: string } | null;
}

/** Why an item is not taken: a closed code, and words for the caller. */
export interface RejectedItem<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
}

/** One item, judged. */
export type ValidatedItem<Code extends string = string> = AcceptedItem | RejectedItem<Code>;

export type BulkIngest = (
  request: Pick<RouteRequest<unknown, unknown>, "principal" | "requestId" | "receivedAt" | "language">,
  appId: number,
  items: readonly unknown[],
  judge: (item: unknown) => ValidatedItem,
  /** Whether the device of a key may report in one more request now; null, like none: it may always. */
  isWithinDeviceLimit?: ((deviceKey: string) => boolean) | null,
) => Promise<Reply>;

const deviceOverLimit: RejectedItem = {
  code: "RATE_LIMITED",
  message: "This device reports too often; send the item again later.",
};

/**
 * The end of every bulk ingest (contract/ingest.md#app-events, contract/ingest.md#touchpoints): judges the items one by
 * one, appends the facts that are new to the app's journal and answers 202 with `{accepted, duplicates, rejected,
 * devices}` once they are on disk; 503 when too much waits. A device's limit (contract/limits.md#rate-limits) counts
 * the requests that bring something new of it: over it, the request loses that device's items, not their neighbours. A
 * phone that was offline sends what it has saved at once, and it counts once.
 */
export function createBulkIngest(journals: Journals, category: Journal["category"]): BulkIngest {
  const recent = new LRUCache<string, true>({ max: mostRecent });

  return async (request, appId, items, judge, isWithinDeviceLimit = null) => {
    const metadata = sharedMetadata(causeOf(request));
    const rejected: ({ readonly index: number } & RejectedItem)[] = [];
    const devices = new Map<string, string>();
    const added = new Map<string, EventToAppend>();
    const mayDeviceReport = remembered(isWithinDeviceLimit ?? (() => true));
    for (const [index, item] of items.entries()) {
      const judged = judge(item);
      if ("code" in judged) {
        rejected.push({ index, ...judged });
        continue;
      }
      const { id, event, device } = judged;
      const isNew = !added.has(id) && !recent.has(`${appId}/${id}`);
      if (isNew && device !== null && !mayDeviceReport(device.key)) {
        rejected.push({ index, ...deviceOverLimit });
        continue;
      }
      if (device !== null) devices.set(device.id, device.key);
      if (isNew) added.set(id, { id, ...event, metadata: metadata(event.type) });
    }

    const position = await append(journals, { category, appId }, [...added.values()]);
    if (position === "full") return refuse(problems.overloaded);
    for (const id of added.keys()) recent.set(`${appId}/${id}`, true);
    const data = {
      accepted: added.size,
      duplicates: items.length - rejected.length - added.size,
      rejected: rejected.map(({ message, ...item }) => ({ ...item, message: translate(message, request.language) })),
      devices: Object.fromEntries(devices),
    };
    return reply(202, { data }, position === null ? {} : { position });
  };
}

/** Asks once for each key. */
function remembered(ask: (key: string) => boolean): (key: string) => boolean {
  const answers = new Map<string, boolean>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
}

async function append(
  journals: Journals,
  journal: Journal,
  events: readonly EventToAppend[],
): Promise<LogPosition | null | "full"> {
  if (events.length === 0) return null;
  try {
    return (await journals.appendMany(journal, events)).position;
  } catch (failure) {
    if (failure instanceof JournalFull) return "full";
    throw failure;
  }
}
