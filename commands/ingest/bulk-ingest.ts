import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import { type LogPosition, laterPosition } from "../../domain/event.ts";
import type { StoredEvent } from "../../domain/event-catalogue.ts";
import { type Fault, fault, publicCode } from "../../domain/fault.ts";
import type { ClickRecorded } from "../../domain/touchpoints/events.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import { textOf } from "../../infra/http/i18n/messages.ts";
import { type Reply, type RouteRequest, reply } from "../../infra/http/routing/route.ts";
import { causeOf, sharedMetadata } from "../event-metadata.ts";
import type { Journal, Journals } from "../journals/journal.ts";

/**
 * Maximum recent ids remembered to count `duplicates`; the read models deduplicate exactly
 * (contract/ingest.md#event-fields).
 */
const maxRecentIds = 100_000;

/** Items that are validated in one turn of the event loop; the most expensive ones take about 20 ms. */
const itemsOfTurn = 50;

/** Bodies of bulk ingest: 5 MiB as sent and inflated, each item validated by itself. */
export const bulkIngestBody = {
  bodyLimit: 5 * 1024 * 1024,
  gzip: true,
  validatesItems: true,
} as const;

/** The event of a valid item. */
export interface AcceptedItem {
  /** Its deduplication key: a lower-case UUID, which becomes the id of its event. */
  readonly id: string;
  readonly event: StoredEvent;
  /** A click that the item implies; it is appended before the item's event. */
  readonly click?: ClickRecorded | null;
  /** The item's device and its key (contract/ingest.md#devices). */
  readonly device: { readonly id: string; readonly key: string } | null;
}

/** Makes the click of a link that was opened in the app from the event that reports the open. */
export type ClickOfOpen = (open: AppEventRecorded["data"]) => ClickRecorded;

/** An accepted item, or the first fault of a rejected one. */
export type ValidatedItem = AcceptedItem | Fault;

export type BulkIngest = (
  request: Pick<RouteRequest<unknown, unknown>, "principal" | "requestId" | "receivedAt" | "language" | "trace">,
  appId: number,
  items: readonly unknown[],
  validate: (item: unknown) => ValidatedItem,
  /** Whether the device of a key is below its rate limit; null or absent: no limit. */
  isWithinDeviceLimit?: ((deviceKey: string) => boolean) | null,
) => Promise<Reply>;

const deviceOverLimit = fault("RATE_LIMITED.device", []);

/**
 * Handles a request of bulk ingest (contract/ingest.md#app-events, contract/ingest.md#touchpoints): validates each item,
 * appends the new events to the app's journal and responds 202 with `{accepted, duplicates, rejected, devices}` once
 * they are on disk, or 503 when the journal is full. A device's rate limit (contract/limits.md#rate-limits) counts
 * requests with new items of the device, so that a phone that was offline counts once for all its saved events; over
 * the limit only that device's items are rejected.
 */
export function createBulkIngest(journals: Journals, category: Journal["category"]): BulkIngest {
  const recent = new LRUCache<string, LogPosition>({ max: maxRecentIds });

  return async (request, appId, items, validate, isWithinDeviceLimit = null) => {
    const metadata = sharedMetadata(causeOf(request));
    const rejected: { readonly index: number; readonly code: string; readonly message: string }[] = [];
    const reject = (index: number, reason: Fault): void => {
      rejected.push({ index, code: publicCode(reason.code), message: textOf(reason, request.language) });
    };
    const devices = new Map<string, string>();
    const added = new Map<string, EventToAppend>();
    const clicks: EventToAppend[] = [];
    let seen: LogPosition | null = null;
    const isDeviceAllowed = memoized(isWithinDeviceLimit ?? (() => true));
    for (const [index, item] of items.entries()) {
      if (index % itemsOfTurn === itemsOfTurn - 1) await nextTurn();
      const validated = validate(item);
      if ("code" in validated) {
        reject(index, validated);
        continue;
      }
      const { id, event, click = null, device } = validated;
      const known = recent.get(`${appId}/${id}`) ?? null;
      const isNew = known === null && !added.has(id);
      if (isNew && device !== null && !isDeviceAllowed(device.key)) {
        reject(index, deviceOverLimit);
        continue;
      }
      if (device !== null) devices.set(device.id, device.key);
      seen = laterPosition(seen, known);
      if (!isNew) continue;
      added.set(id, { id, ...event, metadata: metadata(event.type) });
      if (click !== null) clicks.push({ id: click.data.touchpointId, ...click, metadata: metadata(click.type) });
    }

    await append(journals, { category: "touchpoints", appId }, clicks);
    const appended = await append(journals, { category, appId }, [...added.values()]);
    if (appended !== null) for (const id of added.keys()) recent.set(`${appId}/${id}`, appended);
    const position = laterPosition(seen, appended);
    const data = {
      accepted: added.size,
      duplicates: items.length - rejected.length - added.size,
      rejected,
      devices: Object.fromEntries(devices),
    };
    return reply(202, { data }, { position, laterVisibleIn: "facts" });
  };
}

/** Calls `check` once for each key. */
function memoized(check: (key: string) => boolean): (key: string) => boolean {
  const results = new Map<string, boolean>();
  return (key) => {
    const result = results.get(key) ?? check(key);
    results.set(key, result);
    return result;
  };
}

async function append(
  journals: Journals,
  journal: Journal,
  events: readonly EventToAppend[],
): Promise<LogPosition | null> {
  return events.length === 0 ? null : (await journals.appendMany(journal, events)).position;
}
