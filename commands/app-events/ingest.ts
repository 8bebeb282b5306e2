import type { FromSchema } from "json-schema-to-ts";
import type { AppEventInput } from "../../domain/app-events/app-event-input.ts";
import { deeplinkOpen, openedAddress } from "../../domain/app-events/click-reference.ts";
import { type AppEventContext, recordAppEvent } from "../../domain/app-events/record-app-event.ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { isCurrency } from "../../domain/values/iso-4217.ts";
import { maxDaysBack } from "../../domain/values/reported-timestamps.ts";
import { deviceLimit, type RateLimiter } from "../../infra/http/routing/rate-limiter.ts";
import { appRoute, type Reply, type Route, type RouteRequest } from "../../infra/http/routing/route.ts";
import { deviceKey } from "../derived-ids.ts";
import { bulkIngestBody, type ClickOfOpen, createBulkIngest, type ValidatedItem } from "../ingest/bulk-ingest.ts";
import { shapeValidator } from "../ingest/item-validation.ts";
import type { Journals } from "../journals/journal.ts";
import { appEventSchema, appEventsSchema } from "./app-event-schema.ts";
import { sendAppEventsDocs, sendBeaconDocs } from "./docs.ts";

const shapeFaultOf = shapeValidator(appEventSchema);

export interface AppEventDeps {
  readonly journals: Journals;
  /** The app's own links among addresses (contract/attribution.md#opened-links). */
  openedLinks(app: RegisteredApp, urls: readonly string[]): Promise<ReadonlyMap<string, ClickOfOpen>>;
  /** Null: devices are not limited. */
  readonly rateLimiter: RateLimiter | null;
}

/**
 * `POST /events/v1/apps/{app_name}/app-events` (contract/ingest.md#app-events), and `/beacon` below it
 * (contract/ingest.md#beacons). 202 once every accepted event is on disk.
 */
export function appEventRoutes({ journals, openedLinks, rateLimiter }: AppEventDeps): readonly Route[] {
  const bulkIngest = createBulkIngest(journals, "appEvents");
  const ingest = {
    method: "post",
    limit: "ingest",
    body: appEventsSchema,
    ...bulkIngestBody,
    async handle(request: RouteRequest<FromSchema<typeof appEventsSchema>, undefined, RegisteredApp>): Promise<Reply> {
      const { app, body } = request;
      const isWithinDeviceLimit = deviceLimit(rateLimiter, request.principal);
      const validate = appEventValidator(app, request, await openedLinks(app, deeplinksIn(body.events)));
      return bulkIngest(request, app.appId, body.events, validate, isWithinDeviceLimit);
    },
  } as const;
  const path = "/events/v1/apps/:app_name/app-events";
  return [
    appRoute({ ...ingest, path, docs: sendAppEventsDocs, operation: "ingest_app_events", crossOrigin: true }),
    appRoute({ ...ingest, path: `${path}/beacon`, docs: sendBeaconDocs, operation: "send_beacon", beacon: true }),
  ];
}

/** The addresses that deeplink opens among unvalidated events may have opened; events with a fault of shape are left out. */
function deeplinksIn(events: readonly unknown[]): readonly string[] {
  return events.flatMap((event) => {
    const { category, referrer } = Object(event) as { readonly category?: unknown; readonly referrer?: unknown };
    const mayOpen = category === deeplinkOpen && referrer !== undefined && shapeFaultOf(event) === null;
    return (mayOpen ? openedAddress(event as AppEventInput) : null) ?? [];
  });
}

/** Validates the events of one request. */
function appEventValidator(
  app: RegisteredApp,
  request: Pick<RouteRequest<unknown, unknown>, "principal" | "receivedAt" | "ip" | "userAgent">,
  opened: ReadonlyMap<string, ClickOfOpen>,
): (item: unknown) => ValidatedItem {
  const { principal, ip, userAgent } = request;
  const context: AppEventContext = {
    appId: app.appId,
    currency: app.currency,
    now: Date.parse(request.receivedAt),
    maxDaysBack: isOwner(principal) ? maxDaysBack.owner : maxDaysBack.device,
    connection: isDevice(principal) ? { ip, userAgent } : null,
    isCurrency,
  };
  const keys = new Map<string, string>();

  function keyOf(deviceId: string): string {
    const key = keys.get(deviceId) ?? deviceKey(app.salt, deviceId);
    keys.set(deviceId, key);
    return key;
  }

  return (item) => {
    const shapeFault = shapeFaultOf(item);
    if (shapeFault !== null) return shapeFault;
    const input: AppEventInput = item as FromSchema<typeof appEventSchema>;
    const device = { id: input.device.id, key: keyOf(input.device.id) };
    const data = recordAppEvent(input, device.key, context);
    if ("code" in data) return data;
    const click = opened.get(openedAddress(input) ?? "")?.(data) ?? null;
    const clickId = click?.data.touchpointId ?? data.clickId;
    return { id: data.eventId, event: { type: "AppEventRecorded", data: { ...data, clickId } }, click, device };
  };
}

function isOwner(principal: Principal): boolean {
  return principal.kind === "token" && principal.role === "owner";
}

/**
 * Whether the caller is the device itself: the connection's address and user agent are its own
 * (contract/ingest.md#event-fields).
 */
function isDevice(principal: Principal): boolean {
  return principal.kind === "token" && (principal.tokenKind === "sdk" || principal.tokenKind === "web");
}
