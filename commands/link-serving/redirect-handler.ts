import type { Request, RequestHandler, Response } from "express";
import type { LogPosition } from "../../domain/event.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import { EventLogUnavailable } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { requestIdOf } from "../../infra/http/response/request-id.ts";
import { writeProblem } from "../../infra/http/response/write-response.ts";
import type { Journals } from "../journals/journal.ts";
import { touchpointRecorder } from "../touchpoints/touchpoint-recorder.ts";
import { createUserAgentReader } from "../touchpoints/user-agent.ts";
import { isLinkAt, isServerToServer, type LinkPath, linkIdAt, readLinkPath } from "./link-paths.ts";
import { type ResponseMetadata, sendPage } from "./link-responses.ts";
import { linkUnavailablePage, openPage, unknownLinkPage } from "./pages.ts";
import { isCounted, isPrefetch } from "./prefetch.ts";
import { type FindApp, linkResolver, type ResolvedLink } from "./resolved-link.ts";
import { serveLink } from "./serve-click.ts";
import { serveServerClick } from "./server-to-server.ts";
import { isImpressionUrl, type Query } from "./url-parameters.ts";

type FoundLink = { readonly link: LiveLink };

export interface RedirectOptions {
  /** A link as new as the tail of the log; null when there is none. */
  readonly findLink: (linkId: number) => FoundLink | null | Promise<FoundLink | null>;
  readonly findApp: FindApp;
  /** For what visitors do, who are answered whether the log takes it or not. */
  readonly spoolingJournals: Pick<Journals<LogPosition | null>, "append">;
  /** For what servers report, which repeat it. */
  readonly journals: Pick<Journals, "append">;
  readonly baseUrl: string;
  /** A visitor was sent on although the click could not be written. */
  readonly onClickLost: (reason: unknown) => void;
  /** Somebody asked for a link that does not exist (contract/tracking-links.md#unknown-links). */
  readonly onUnresolvedClick: () => void;
}

/**
 * Serves everything below `LINK_BASE_URL` (contract/tracking-links.md). Mount it there; it answers every request
 * itself.
 */
export function redirectHandler(options: RedirectOptions): RequestHandler {
  const { findLink, journals, spoolingJournals, onUnresolvedClick } = options;
  const openPageUrl = `${options.baseUrl}/open`;
  const prepare = linkResolver(options.findApp, openPageUrl);
  const readUserAgent = createUserAgentReader();
  const visits = {
    readUserAgent,
    record: touchpointRecorder(spoolingJournals, options.onClickLost),
    openPage: openPageUrl,
  };
  const serverClicks = { readUserAgent, journals, openPage: openPageUrl };

  async function find(path: LinkPath, query: Query | null): Promise<ResolvedLink | null> {
    const linkId = linkIdAt(path, query);
    const finding = linkId === null ? null : findLink(linkId);
    const found = finding instanceof Promise ? await finding : finding;
    const preparing = found === null ? null : prepare(found.link);
    const served = preparing instanceof Promise ? await preparing : preparing;
    return served !== null && isLinkAt(served, path, query) ? served : null;
  }

  return async (request, response) => {
    const [address = ""] = request.url.split(/[?#]/, 1);
    const path = readLinkPath(address);
    const isServerClick = isServerToServer(path);
    const methods = isServerClick ? ["GET", "POST"] : ["GET", "HEAD"];
    if (!methods.includes(request.method)) {
      writeProblem(request, response, problems.methodNotAllowed, { Allow: methods.join(", ") });
      return;
    }
    const query: Query | null = request.url.includes("?") ? request.query : null;
    const link = await find(path, query).catch((failure: unknown) => {
      if (isServerClick || !(failure instanceof EventLogUnavailable)) throw failure;
      return "unanswered" as const;
    });
    if (link === "unanswered") answerLater(response);
    else if (link === null) {
      const isClick = isServerClick ? !isPrefetch(request) : isCounted(request) && !isImpressionUrl(query);
      if (isClick) onUnresolvedClick();
      answerUnknown(request, response, isServerClick);
    } else if (isServerClick) await serveServerClick(serverClicks, request, response, link, query ?? {});
    else await serveLink(visits, request, response, link, query);
  };
}

/** `GET ${BASE_URL}/open` (contract/tracking-links.md#opening). */
export function openPageHandler(): RequestHandler {
  return (_request, response) => sendPage(response, 200, openPage, unrecorded(response));
}

function answerUnknown(request: Request, response: Response, isServerClick: boolean): void {
  if (isServerClick) writeProblem(request, response, problems.notFound);
  else sendPage(response, 404, unknownLinkPage, unrecorded(response));
}

/** A person is told so on a page; machines that report clicks are answered by a problem. */
function answerLater(response: Response): void {
  const { status, retryAfterSeconds } = problems.unavailable;
  response.setHeader("Retry-After", retryAfterSeconds);
  sendPage(response, status, linkUnavailablePage, unrecorded(response));
}

function unrecorded(response: Response): ResponseMetadata {
  return { requestId: requestIdOf(response), position: null };
}
