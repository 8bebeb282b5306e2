import type { Response } from "express";
import { requestIdHeader } from "../../infra/http/response/request-id.ts";
import { noteRequestId } from "../../infra/tracing/request-span.ts";
import type { Page } from "./html-pages.ts";

/**
 * Responses must not be cached, and destinations must not see the URL, which can contain device ids. Visitors do not get
 * `X-Log-Position`, by which they could count what others do (contract/http.md#log-positions).
 */
const commonHeaders = [
  "Cache-Control",
  "no-store",
  "Referrer-Policy",
  "no-referrer",
  "X-Content-Type-Options",
  "nosniff",
] as const;

/** One transparent pixel, with the end code that shorter common GIFs lack. */
const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==", "base64");

export function sendRedirect(response: Response, location: string, requestId: string): void {
  send(response, 302, requestId, ["Location", location, "Content-Length", "0"]);
}

export function sendPage(response: Response, status: number, page: Page, requestId: string): void {
  const { contentSecurityPolicy, html } = page;
  const length = Buffer.byteLength(html).toString();
  const aboutPage = ["Content-Security-Policy", contentSecurityPolicy, "Content-Type", "text/html; charset=utf-8"];
  send(response, status, requestId, [...aboutPage, "Content-Length", length], html);
}

/** An impression's 1x1 GIF (contract/tracking-links.md#partner-calls). */
export function sendPixel(response: Response, requestId: string): void {
  const length = pixel.length.toString();
  send(response, 200, requestId, ["Content-Type", "image/gif", "Content-Length", length], pixel);
}

/** @param headers a flat array of names and values, which Node writes without the three passes over a headers object */
function send(
  response: Response,
  status: number,
  requestId: string,
  headers: readonly string[],
  body?: string | Buffer,
): void {
  noteRequestId(response, requestId);
  response.writeHead(status, [requestIdHeader, requestId, ...commonHeaders, ...headers]).end(body);
}
