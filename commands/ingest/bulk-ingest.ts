import { LRUCache } from "lru-cache";
import type { LogPosition } from "../../domain/event.ts";
import type { StoredEvent } from "../../domain/event-catalogue.ts";
import { type Fault, fault, publicCode } from "../../domain/fault.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import { textOf } from "../../infra/http/i18n/messages.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { type Reply, type RouteRequest, refuse, reply } from "../../infra/http/routing/route.ts";
import { type Journal, JournalFull, type Journals } from "../journals/journal.ts";
import { causeOf, sharedMetadata } from "../metadata.ts";

/**
 * Facts known lately, at most: what `duplicates` is counted by; the read models count exactly
 * (contract/ingest.md#event-fields).
 */
const maxRecentIds = 100_000;

/** Bodies of bulk ingest: 5 MiB as sent and inflated, each item validated by itself. */
export const bulkIngestBody = {
  bodyLimit: 5 * 1024 * 1024,
  gzip: true,
  validatesItems: true,
} as const;

/** A fact out of a request's item. */
export interface AcceptedItem {
  /** Its deduplication key: a lower-case UUID, which becomes the id of its event. */
  readonly id: string;
  readonly event: StoredEvent;
  /** The device that it names, with its key (contract/ingest.md#devices). */
  readonly device: { readonly id: string; readonly key: string } | null;
}

/** An accepted item, or the first fault of a rejected one. */
export type ValidatedItem = AcceptedItem | Fault;

export type BulkIngest = (
  request: Pick<RouteRequest<unknown, unknown>, "principal" | "requestId" | "receivedAt" | "language">,
  appId: number,
  items: readonly unknown[],
  judge: (item: unknown) => ValidatedItem,
  /** Whether the device of a key may report in one more request now; null, like none: it may always. */
  isWithinDeviceLimit?: ((deviceKey: string) => boolean) | null,
) => Promise<Reply>;

const deviceOverLimit = fault("RATE_LIMITED.device", []);

/**
 * The end of every bulk ingest (contract/ingest.md#app-events, contract/ingest.md#touchpoints): judges the items one by
 * one, appends the facts that are new to the app's journal and answers 202 with `{accepted, duplicates, rejected,
 * devices}` once they are on disk; 503 when too much waits. A device's limit (contract/limits.md#rate-limits) counts
 * the requests that bring something new of it: over it, the request loses that device's items, not their neighbours. A
 * phone that was offline sends what it has saved at once, and it counts once.
 */
export function createBulkIngest(journals: Journals, category: Journal["category"]): BulkIngest {
  const recent = new LRUCache<string, true>({ max: maxRecentIds });

  return async (request, appId, items, judge, isWithinDeviceLimit = null) => {
    const metadata = sharedMetadata(causeOf(request));
    const rejected: { readonly index: number; readonly code: string; readonly message: string }[] = [];
    const reject = (index: number, one: Fault): void => {
      rejected.push({ index, code: publicCode(one.code), message: textOf(one, request.language) });
    };
    const devices = new Map<string, string>();
    const added = new Map<string, EventToAppend>();
    const mayDeviceReport = remembered(isWithinDeviceLimit ?? (() => true));
    for (const [index, item] of items.entries()) {
      const judged = judge(item);
      if ("code" in judged) {
        reject(index, judged);
        continue;
      }
      const { id, event, device } = judged;
      const isNew = !added.has(id) && !recent.has(`${appId}/${id}`);
      if (isNew && device !== null && !mayDeviceReport(device.key)) {
        reject(index, deviceOverLimit);
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
      rejected,
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
