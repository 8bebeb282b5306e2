import type { Request, Response } from "express";
import { uuidv7 } from "uuidv7";
import { type Fault, fault } from "../../domain/fault.ts";
import { maxDaysBack, reportedInstant } from "../../domain/values/reported-timestamps.ts";
import { parseQuery, type QueryTypes } from "../../infra/http/request/url-text.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { requestIdOf } from "../../infra/http/response/request-id.ts";
import { writeJson, writeProblem } from "../../infra/http/response/write-response.ts";
import { traceOfRequest } from "../../infra/tracing/request-span.ts";
import { partnerClick } from "../derived-ids.ts";
import type { Journals } from "../journals/journal.ts";
import type { ReadUserAgent } from "../touchpoints/user-agent.ts";
import { isPrefetch } from "./prefetch.ts";
import { type ResolvedLink, withUrlParameters } from "./resolved-link.ts";
import { readServerClickBody, type ServerClickBudget } from "./server-click-body.ts";
import { touchpointEvent } from "./touchpoint-event.ts";
import { maxNameLength, type Query, readParameter, urlParameters } from "./url-parameters.ts";

export interface ServerToServerOptions {
  readonly readUserAgent: ReadUserAgent;
  readonly journals: Pick<Journals, "append">;
  /** Address of the plain page. */
  readonly openPageUrl: string;
  readonly bodies: ServerClickBudget;
}

const anyLength = Number.POSITIVE_INFINITY;
/** Only the texts of parameters are validated here, not their types. */
const anyParameters: QueryTypes = new Map();

/**
 * A click reported by a partner's server (contract/tracking-links.md#partner-calls). Its id is derived from the
 * partner's click id, so that a repeated report is the same click. No visitor waits for a page, so a click that cannot
 * be stored is rejected.
 *
 * Parameters come from the URL or from a body, whatever the method; a non-empty parameter of the URL overrides the body
 * (contract/http.md#unknown-fields). Only the URL names the link.
 *
 * A prefetch or preview (contract/tracking-links.md#opening) gets the same response, rejections included, but is not
 * recorded: with the partner's click id it gets the id that the click will have, otherwise an id that no click has.
 */
export async function serveServerClick(
  { readUserAgent, journals, openPageUrl, bodies }: ServerToServerOptions,
  request: Request,
  response: Response,
  link: ResolvedLink,
  query: Query,
): Promise<void> {
  const now = Date.now();
  const { appId } = link.app;
  const body = await readServerClickBody(request, () => bodies(appId, request, response));
  if (body.outcome === "refused") {
    writeProblem(request, response, body.problem);
    return;
  }
  const parameters = { ...body.parameters, ...givenParameters(query) };
  const found = textFault(request.url) ?? clickIdFault(parameters, query);
  if (found !== null) {
    writeProblem(request, response, validationFailed([found]));
    return;
  }
  const timestamp = readParameter(parameters, "click_timestamp", anyLength);
  const at = timestamp === undefined ? now : reportedInstant(numberOrText(timestamp), now, maxDaysBack.partner);
  if (typeof at !== "number") {
    const path = pathOf("click_timestamp", query);
    writeProblem(request, response, validationFailed([fault(at.toLowerCase(), path)]));
    return;
  }
  const url = urlParameters(parameters);
  const { partnerClickId, userAgent } = url.person;
  const eventId = uuidv7();
  const clickId = partnerClickId === undefined ? eventId : partnerClick(appId, link.link.channel, partnerClickId);
  if (isPrefetch(request)) {
    writeJson(response, 200, { clickId });
    return;
  }
  const receivedAt = new Date(now).toISOString();
  const event = touchpointEvent({
    type: "ClickRecorded",
    origin: "server_to_server",
    eventId,
    touchpointId: clickId,
    at: new Date(Math.min(at, now)).toISOString(),
    served: withUrlParameters(link, { ...url, routing: null }, openPageUrl),
    url,
    connection: null,
    described: userAgent === undefined ? null : readUserAgent(userAgent),
    destination: null,
    requestId: requestIdOf(response),
    receivedAt,
    trace: traceOfRequest(request),
  });
  const { position } = await journals.append({ category: "touchpoints", appId }, event);
  response.setHeader("X-Log-Position", position.commit.toString());
  writeJson(response, 200, { clickId });
}

/** Whether the value of a parameter came from the URL or the body. */
function pathOf(name: string, query: Query): readonly string[] {
  return [readParameter(query, name, anyLength) === undefined ? "body" : "query", name];
}

function givenParameters(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => readParameter(query, name, anyLength) !== undefined),
  );
}

/**
 * Faults of illegal text (contract/http.md#text). A server's report is rejected for it, whereas a visitor's URL is read
 * leniently.
 */
function textFault(url: string): Fault | null {
  const read = parseQuery(url, anyParameters);
  return read.outcome === "refused" ? read.fault : null;
}

/** Faults of a click id that is too long to be stored; without it each report would count as another click. */
function clickIdFault(parameters: Query, query: Query): Fault | null {
  const isSent = readParameter(parameters, "click_id", anyLength) !== undefined;
  if (!isSent || readParameter(parameters, "click_id", maxNameLength) !== undefined) return null;
  return fault("too_long.characters", pathOf("click_id", query), { limit: maxNameLength });
}

function numberOrText(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
