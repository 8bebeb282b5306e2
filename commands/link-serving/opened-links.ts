import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ClickRecorded } from "../../domain/touchpoints/events.ts";
import { linkSource, sourceWithUrl } from "../../domain/touchpoints/touchpoint-source.ts";
import { parsedUrl } from "../../domain/values/url.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { derivedUuid } from "../derived-ids.ts";
import type { ClickOfOpen } from "../ingest/bulk-ingest.ts";
import type { LinkCache } from "./link-cache.ts";
import { isLinkAt, isServerToServer, linkIdAt, readLinkPath } from "./link-paths.ts";
import { isImpressionUrl, type Query, urlParameters } from "./url-parameters.ts";

const lookUpsOfRequest = 16;

/**
 * Finds the links of an app that addresses point to (contract/attribution.md#opened-links); other addresses are left
 * out. Rejects with `EventLogUnavailable` when a link cannot be looked up.
 */
export function openedLinks(
  links: Pick<LinkCache, "findForIngest">,
  linkBaseUrl: string,
): (app: RegisteredApp, urls: Iterable<string>) => Promise<ReadonlyMap<string, ClickOfOpen>> {
  const { host, pathname } = new URL(linkBaseUrl);
  const prefix = `${pathname.replace(/\/$/, "")}/`;

  async function clickOf(app: RegisteredApp, address: string): Promise<ClickOfOpen | null> {
    const url = parsedUrl(address);
    if (url === null) return null;
    const isBelow = /^https?:$/.test(url.protocol) && url.host === host && url.pathname.startsWith(prefix);
    if (!isBelow) return null;
    const path = readLinkPath(url.pathname.slice(prefix.length - 1));
    if (path.kind === "none" || isServerToServer(path)) return null;
    const query: Query = Object.fromEntries(url.searchParams);
    const linkId = isImpressionUrl(query) ? null : linkIdAt(path, query);
    const found = linkId === null ? null : await links.findForIngest(linkId);
    if (found === null || found.link.appId !== app.appId) return null;
    const { link } = found;
    if (!isLinkAt({ link, app }, path, query)) return null;
    const { campaignParams, publisher, person } = urlParameters(query);
    const source = sourceWithUrl(linkSource(link), campaignParams, publisher);
    const { partnerClickId } = person;
    return (open) => clickOfOpen(open, source, partnerClickId);
  }

  return async (app, urls) => {
    const clicks = new Map<string, ClickOfOpen>();
    await forEachConcurrently(lookUpsOfRequest, [...new Set(urls)], async (address) => {
      const click = await clickOf(app, address);
      if (click !== null) clicks.set(address, click);
    });
    return clicks;
  };
}

/** At the moment of the open, by the same device, under an id that follows from the event's. */
function clickOfOpen(
  { appId, eventId, at, deviceKey, device, person }: AppEventRecorded["data"],
  source: ClickRecorded["data"]["source"],
  partnerClickId: string | undefined,
): ClickRecorded {
  const {
    externalUserId: _user,
    partnerDeviceId: _device,
    installReferrer: _referrer,
    deeplinkUrl: _url,
    ...own
  } = person;
  return {
    type: "ClickRecorded",
    data: {
      touchpointId: derivedUuid("deeplink open", appId, eventId),
      appId,
      at,
      origin: "deeplink_open",
      source,
      verdict: { human: true },
      destination: null,
      deviceKey,
      os: device.os ?? null,
      osVersion: device.osVersion ?? null,
      person: { ...own, ...(partnerClickId !== undefined && { partnerClickId }) },
    },
  };
}
