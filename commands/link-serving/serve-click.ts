import type { Request, Response } from "express";
import { uuidv7 } from "uuidv7";
import { withClickId } from "../../domain/tracking-links/click-destination.ts";
import { platformOf } from "../../domain/tracking-links/click-targets.ts";
import { linkPreview } from "../../domain/tracking-links/link-preview.ts";
import { isSocialCrawler } from "../../domain/tracking-links/social-crawlers.ts";
import { clientAddress } from "../../infra/http/request/client-address.ts";
import { newRequestId } from "../../infra/http/response/request-id.ts";
import { traceOfRequest } from "../../infra/tracing/request-span.ts";
import type { RecordTouchpoint } from "../touchpoints/touchpoint-recorder.ts";
import { type ReadUserAgent, withPlatformHint } from "../touchpoints/user-agent.ts";
import { openAppPage, previewPage } from "./html-pages.ts";
import { sendPage, sendPixel, sendRedirect } from "./link-responses.ts";
import { isCounted } from "./prefetch.ts";
import { type ResolvedLink, withUrlParameters } from "./resolved-link.ts";
import { type Connection, type TouchpointDetails, touchpointEvent } from "./touchpoint-event.ts";
import { isImpressionUrl, type Query, urlParameters } from "./url-parameters.ts";

export interface ServeOptions {
  readonly readUserAgent: ReadUserAgent;
  readonly record: RecordTouchpoint;
  /** Address of the plain page. */
  readonly openPageUrl: string;
}

/** A request of a link, and what it is served with. */
interface Serving {
  readonly options: ServeOptions;
  readonly request: Request;
  readonly response: Response;
  readonly link: ResolvedLink;
  readonly query: Query | null;
}

/** Responds to a client: to a click with its destination, to an impression with a pixel (contract/tracking-links.md). */
export function serveLink(serving: Serving): Promise<void> {
  return isImpressionUrl(serving.query) ? serveImpression(serving) : serveClick(serving);
}

async function serveClick({ options, request, response, link, query }: Serving): Promise<void> {
  const clickId = uuidv7();
  const requestId = newRequestId();
  const url = urlParameters(query);
  const served = query === null ? link : withUrlParameters(link, url, options.openPageUrl);
  const connection = connectionOf(request, options.readUserAgent);
  const { botName, os } = connection.client;
  // A crawler gets a preview instead of a redirect. Every crawler is a known bot, most clients are not.
  const isCrawler = botName !== null && isSocialCrawler(request.headers["user-agent"] ?? "");
  const target = served.targets[platformOf(os)];
  const destination = withClickId(target.kind === "redirect" ? target.to : target.deeplink, clickId);
  await recordIfCounted(options, request, {
    type: "ClickRecorded",
    origin: "redirect",
    touchpointId: clickId,
    connection,
    served,
    url,
    destination: isCrawler ? null : destination,
    requestId,
  });
  if (isCrawler) sendPage(response, 200, previewPage(linkPreview(link.link.ogTag, link.app.name)), requestId);
  else if (target.kind === "redirect") sendRedirect(response, destination, requestId);
  else sendPage(response, 200, openAppPage(destination, withClickId(target.fallback, clickId)), requestId);
}

async function serveImpression({ options, request, response, link, query }: Serving): Promise<void> {
  const url = urlParameters(query);
  const requestId = newRequestId();
  await recordIfCounted(options, request, {
    type: "ImpressionRecorded",
    origin: "view",
    touchpointId: uuidv7(),
    connection: connectionOf(request, options.readUserAgent),
    served: withUrlParameters(link, { ...url, routing: null }, options.openPageUrl),
    url,
    destination: null,
    requestId,
  });
  sendPixel(response, requestId);
}

/** Records a touchpoint, unless the request is `HEAD`, a prefetch or a preview. */
function recordIfCounted(
  { readUserAgent, record }: ServeOptions,
  request: Request,
  touchpoint: Omit<TouchpointDetails, "eventId" | "at" | "described" | "receivedAt" | "trace">,
): Promise<void> | null {
  if (!isCounted(request)) return null;
  const receivedAt = new Date().toISOString();
  const { userAgent } = touchpoint.url.person;
  const event = touchpointEvent({
    ...touchpoint,
    eventId: touchpoint.touchpointId,
    at: receivedAt,
    described: userAgent === undefined ? null : readUserAgent(userAgent),
    receivedAt,
    trace: traceOfRequest(request),
  });
  return record(touchpoint.served.app.appId, event);
}

function connectionOf(request: Request, readUserAgent: ReadUserAgent): Connection {
  const client = readUserAgent(request.headers["user-agent"]);
  const hint = request.headers["sec-ch-ua-platform"];
  return {
    client: typeof hint === "string" ? withPlatformHint(client, hint) : client,
    ip: clientAddress(request),
  };
}
