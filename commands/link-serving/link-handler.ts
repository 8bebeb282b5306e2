import type { Request, RequestHandler, Response } from "express";
import type { LogPosition } from "../../domain/event.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import { EventLogUnavailable } from "../../infra/event-log/event-log.ts";
import { type Problem, problems } from "../../infra/http/response/problem.ts";
import { requestIdOf } from "../../infra/http/response/request-id.ts";
import { writeProblem } from "../../infra/http/response/write-response.ts";
import { addressBudget, type RateLimiter } from "../../infra/http/routing/rate-limiter.ts";
import type { Journals } from "../journals/journal.ts";
import { touchpointRecorder } from "../touchpoints/touchpoint-recorder.ts";
import { createUserAgentReader } from "../touchpoints/user-agent.ts";
import { linkUnavailablePage, openPage, unknownLinkPage } from "./html-pages.ts";
import { isLinkAt, isServerToServer, type LinkPath, linkIdAt, readLinkPath } from "./link-paths.ts";
import { sendPage } from "./link-responses.ts";
import { isCounted, isPrefetch } from "./prefetch.ts";
import { type FindApp, linkResolver, type ResolvedLink } from "./resolved-link.ts";
import { serveLink } from "./serve-click.ts";
import { createServerClickBudget } from "./server-click-body.ts";
import { serveServerClick } from "./server-to-server.ts";
import { isImpressionUrl, type Query } from "./url-parameters.ts";

type FoundLink = { readonly link: LiveLink };

export interface LinkHandlerOptions {
  /** Links, as current as the tail of the log. */
  readonly links: {
    /** From memory; undefined: it must be looked up. */
    cached(linkId: number): FoundLink | null | undefined;
    find(linkId: number): FoundLink | null | Promise<FoundLink | null>;
  };
  /** Limits the look-ups of an address that find no link; null: no limit. */
  readonly rateLimiter: RateLimiter | null;
  readonly findApp: FindApp;
  /** For clients, who get their response even if the log cannot be written. */
  readonly spoolingJournals: Pick<Journals<LogPosition | null>, "append">;
  /** For partners' servers, which repeat failed reports. */
  readonly journals: Pick<Journals, "append">;
  readonly baseUrl: string;
  /** Called when a client was redirected although the click could not be written. */
  readonly onClickLost: (reason: unknown) => void;
  /** Called for a click on a link that does not exist (contract/tracking-links.md#unknown-links). */
  readonly onUnresolvedClick: () => void;
}

/** Handles all requests below `LINK_BASE_URL` (contract/tracking-links.md). */
export function linkHandler(options: LinkHandlerOptions): RequestHandler {
  const { links, rateLimiter, journals, spoolingJournals, onUnresolvedClick } = options;
  const openPageUrl = `${options.baseUrl}/open`;
  const resolve = linkResolver(options.findApp, openPageUrl);
  const readUserAgent = createUserAgentReader();
  const clients = {
    readUserAgent,
    record: touchpointRecorder(spoolingJournals, options.onClickLost),
    openPageUrl,
  };
  const serverClicks = { readUserAgent, journals, openPageUrl, bodies: createServerClickBudget() };

  async function lookUp(request: Request, linkId: number): Promise<FoundLink | null | Problem> {
    const budget = addressBudget(rateLimiter, "link", request);
    const problem = budget.take();
    if (problem !== null) return problem;
    let isUnknown = false;
    try {
      const found = await links.find(linkId);
      isUnknown = found === null;
      return found;
    } finally {
      if (!isUnknown) budget.refund();
    }
  }

  async function find(request: Request, path: LinkPath, query: Query | null): Promise<ResolvedLink | null | Problem> {
    const linkId = linkIdAt(path, query);
    const known = linkId === null ? null : links.cached(linkId);
    const found = known === undefined && linkId !== null ? await lookUp(request, linkId) : (known ?? null);
    if (found !== null && "status" in found) return found;
    const resolving = found === null ? null : resolve(found.link);
    const resolved = resolving instanceof Promise ? await resolving : resolving;
    return resolved !== null && isLinkAt(resolved, path, query) ? resolved : null;
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
    const link = await find(request, path, query).catch((failure: unknown) => {
      if (isServerClick || !(failure instanceof EventLogUnavailable)) throw failure;
      return problems.unavailable;
    });
    if (link !== null && "status" in link) {
      if (isServerClick) writeProblem(request, response, link);
      else respondUnavailable(response, link);
    } else if (link === null) {
      const isClick = isServerClick ? !isPrefetch(request) : isCounted(request) && !isImpressionUrl(query);
      if (isClick) onUnresolvedClick();
      respondUnknown(request, response, isServerClick);
    } else if (isServerClick) await serveServerClick(serverClicks, request, response, link, query ?? {});
    else await serveLink({ options: clients, request, response, link, query });
  };
}

/** `GET ${BASE_URL}/open` (contract/tracking-links.md#opening). */
export function openPageHandler(): RequestHandler {
  return (_request, response) => sendPage(response, 200, openPage, requestIdOf(response));
}

function respondUnknown(request: Request, response: Response, isServerClick: boolean): void {
  if (isServerClick) writeProblem(request, response, problems.linkAddressNotFound);
  else sendPage(response, 404, unknownLinkPage, requestIdOf(response));
}

function respondUnavailable(response: Response, { status, retryAfterSeconds = 1 }: Problem): void {
  response.setHeader("Retry-After", retryAfterSeconds);
  sendPage(response, status, linkUnavailablePage, requestIdOf(response));
}
