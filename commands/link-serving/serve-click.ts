import type { Request, Response } from "express";
import { uuidv7 } from "uuidv7";
import type { LogPosition } from "../../domain/event.ts";
import { withClickId } from "../../domain/tracking-links/click-url.ts";
import { isSocialCrawler, linkPreview } from "../../domain/tracking-links/link-preview.ts";
import { platformOf } from "../../domain/tracking-links/routing.ts";
import { callerAddress } from "../../infra/http/request/client-address.ts";
import { newRequestId } from "../../infra/http/response/request-id.ts";
import type { RecordTouchpoint } from "../touchpoints/touchpoint-recorder.ts";
import { type ReadUserAgent, withPlatformHint } from "../touchpoints/user-agent.ts";
import { sendPage, sendPixel, sendRedirect } from "./link-responses.ts";
import { openAppPage, previewPage } from "./pages.ts";
import { isCounted } from "./prefetch.ts";
import { type ResolvedLink, withUrlParameters } from "./resolved-link.ts";
import { type Connection, type TouchpointDetails, touchpointEvent } from "./touchpoint-event.ts";
import { isImpressionUrl, type Query, urlParameters } from "./url-parameters.ts";

export interface ServeOptions {
  readonly readUserAgent: ReadUserAgent;
  readonly record: RecordTouchpoint;
  /** Address of the plain page. */
  readonly openPage: string;
}

/**
 * Answers a visitor of a link: a click with its destination, an impression with its pixel (contract/tracking-links.md).
 */
export function serveLink(
  options: ServeOptions,
  request: Request,
  response: Response,
  link: ResolvedLink,
  query: Query | null,
): Promise<void> {
  return isImpressionUrl(query)
    ? serveImpression(options, request, response, link, query)
    : serveClick(options, request, response, link, query);
}

async function serveClick(
  options: ServeOptions,
  request: Request,
  response: Response,
  link: ResolvedLink,
  query: Query | null,
): Promise<void> {
  const clickId = uuidv7();
  const requestId = newRequestId();
  const url = urlParameters(query);
  const served = query === null ? link : withUrlParameters(link, url, options.openPage);
  const visitor = visitorOf(request, options.readUserAgent);
  const { botName, os } = visitor.client;
  // A crawler shows others what the link is about, and is sent nowhere. Every one is a known bot, most visitors are not.
  const isCrawler = botName !== null && isSocialCrawler(request.headers["user-agent"] ?? "");
  const way = served.ways[platformOf(os)];
  const destination = withClickId(way.kind === "redirect" ? way.to : way.deeplink, clickId);
  const position = await record(
    options,
    request,
    { type: "ClickRecorded", origin: "redirect" },
    {
      touchpointId: clickId,
      visitor,
      served,
      url,
      destination: isCrawler ? null : destination,
      requestId,
    },
  );
  const answer = { requestId, position };
  if (isCrawler) sendPage(response, 200, previewPage(linkPreview(link.link.ogTag, link.app.name)), answer);
  else if (way.kind === "redirect") sendRedirect(response, destination, answer);
  else sendPage(response, 200, openAppPage(destination, withClickId(way.fallback, clickId)), answer);
}

async function serveImpression(
  options: ServeOptions,
  request: Request,
  response: Response,
  link: ResolvedLink,
  query: Query | null,
): Promise<void> {
  const url = urlParameters(query);
  const requestId = newRequestId();
  const position = await record(
    options,
    request,
    { type: "ImpressionRecorded", origin: "view" },
    {
      touchpointId: uuidv7(),
      visitor: visitorOf(request, options.readUserAgent),
      served: withUrlParameters(link, { ...url, routing: null }, options.openPage),
      url,
      destination: null,
      requestId,
    },
  );
  sendPixel(response, { requestId, position });
}

/** Records what a person did; what only looks ahead (`HEAD`, prefetch, preview) is answered and never recorded. */
function record(
  { readUserAgent, record }: ServeOptions,
  request: Request,
  what: Pick<TouchpointDetails, "type" | "origin">,
  touch: Pick<TouchpointDetails, "touchpointId" | "visitor" | "served" | "url" | "destination" | "requestId">,
): Promise<LogPosition | null> | null {
  if (!isCounted(request)) return null;
  const receivedAt = new Date().toISOString();
  const { userAgent } = touch.url.person;
  const event = touchpointEvent({
    ...what,
    ...touch,
    eventId: touch.touchpointId,
    at: receivedAt,
    described: userAgent === undefined ? null : readUserAgent(userAgent),
    receivedAt,
  });
  return record(touch.served.app.appId, event);
}

/** Who is connected: what the user agent and the platform hint say, and the address. */
function visitorOf(request: Request, readUserAgent: ReadUserAgent): Connection {
  const client = readUserAgent(request.headers["user-agent"]);
  const hint = request.headers["sec-ch-ua-platform"];
  return {
    client: typeof hint === "string" ? withPlatformHint(client, hint) : client,
    ip: callerAddress(request),
  };
}
