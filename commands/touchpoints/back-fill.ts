import { isChannelName } from "../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import type { TouchpointSource } from "../../domain/touchpoints/events.ts";
import { linkSource } from "../../domain/touchpoints/touchpoint-source.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import { appRoute, type Route } from "../../infra/http/routing/route.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { bulkIngestBody, createBulkIngest } from "../ingest/bulk-ingest.ts";
import type { Journals } from "../journals/journal.ts";
import { touchpointsSchema } from "./back-fill-schema.ts";
import { touchpointValidator } from "./back-fill-validation.ts";
import { sendTouchpointsDocs } from "./docs.ts";
import type { ReadUserAgent } from "./user-agent.ts";

/** 256 characters of two UTF-16 code units each. */
const maxNameLength = 512;
/** Of links, and of channels. Look-ups of links share a limit with those of redirects. */
const lookUpsOfRequest = 16;

export interface BackFillDeps {
  readonly journals: Journals;
  /** A link of an app; null when the app has none of that id. */
  linkById(appId: number, linkId: number): LiveLink | null | Promise<LiveLink | null>;
  /** The profile of a channel; that of a custom one for an unregistered name (contract/administration.md#channels). */
  channelProfile(name: string): Promise<ChannelProfile>;
  readonly readUserAgent: ReadUserAgent;
}

/**
 * `POST /events/v1/apps/{app_name}/touchpoints` (contract/ingest.md#touchpoints). 202 once every accepted touchpoint is
 * on disk.
 */
export function backFillRoutes(deps: BackFillDeps): readonly Route[] {
  const bulkIngest = createBulkIngest(deps.journals, "touchpoints");
  return [
    appRoute({
      method: "post",
      path: "/events/v1/apps/:app_name/touchpoints",
      docs: sendTouchpointsDocs,
      operation: "ingest_touchpoints",
      crossOrigin: true,
      limit: "ingest",
      body: touchpointsSchema,
      ...bulkIngestBody,
      async handle(request) {
        const { app, body } = request;
        const { touchpoints } = body;
        const [links, channels] = await Promise.all([
          lookUp(membersOf(touchpoints, "trackingLinkId").filter(isLinkId), (id) => linkSourceOf(deps, app.appId, id)),
          lookUp(membersOf(touchpoints, "channel").filter(isName), (name) => channelSourceOf(deps, name)),
        ]);
        const validate = touchpointValidator({
          app,
          now: Date.parse(request.receivedAt),
          linkSource: (id) => links.get(id) ?? null,
          channelSource: (name) => channels.get(name) ?? null,
          readUserAgent: deps.readUserAgent,
        });
        return bulkIngest(request, app.appId, touchpoints, validate);
      },
    }),
  ];
}

async function linkSourceOf(deps: BackFillDeps, appId: number, linkId: number): Promise<TouchpointSource | null> {
  const link = await deps.linkById(appId, linkId);
  return link === null ? null : linkSource(link);
}

/** Null for names that links may not use either. */
async function channelSourceOf(deps: BackFillDeps, name: string): Promise<TouchpointSource | null> {
  if (!isChannelName(name)) return null;
  const { type: channelType } = await deps.channelProfile(name);
  return {
    channel: name,
    channelType,
    trackingLinkId: null,
    isReengagement: "OFF",
    campaignParams: {},
    publisher: {},
  };
}

/** Distinct values of a field over items that are not validated yet. */
function membersOf(items: readonly unknown[], name: "channel" | "trackingLinkId"): readonly unknown[] {
  const found = new Set<unknown>();
  for (const item of items) {
    if (typeof item === "object" && item !== null) found.add((item as { readonly [name: string]: unknown })[name]);
  }
  return [...found];
}

async function lookUp<Key, Value>(
  keys: readonly Key[],
  find: (key: Key) => Promise<Value | null>,
): Promise<ReadonlyMap<Key, Value>> {
  const found = new Map<Key, Value>();
  await forEachConcurrently(lookUpsOfRequest, keys, async (key) => {
    const value = await find(key);
    if (value !== null) found.set(key, value);
  });
  return found;
}

function isLinkId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxNameLength;
}
