import type { Response } from "express";
import type { LogPosition } from "../../domain/event.ts";
import { requestIdHeader } from "../../infra/http/response/request-id.ts";
import type { Page } from "./pages.ts";

/** Responses must not be cached, and destinations must not see the URL, which can contain device ids. */
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

/** Headers of every response. */
export interface ResponseMetadata {
  readonly requestId: string;
  /** Position of the recorded touchpoint; null if it is not recorded, or not yet. */
  readonly position: LogPosition | null;
}

export function sendRedirect(response: Response, location: string, answer: ResponseMetadata): void {
  response.writeHead(302, headersOf(answer, "Location", location, "Content-Length", "0")).end();
}

export function sendPage(response: Response, status: number, page: Page, answer: ResponseMetadata): void {
  const { contentSecurityPolicy, html } = page;
  const length = Buffer.byteLength(html).toString();
  const aboutPage = ["Content-Security-Policy", contentSecurityPolicy, "Content-Type", "text/html; charset=utf-8"];
  response.writeHead(status, headersOf(answer, ...aboutPage, "Content-Length", length)).end(html);
}

/** An impression's 1x1 GIF (contract/tracking-links.md#partner-calls). */
export function sendPixel(response: Response, answer: ResponseMetadata): void {
  const length = pixel.length.toString();
  response.writeHead(200, headersOf(answer, "Content-Type", "image/gif", "Content-Length", length)).end(pixel);
}

/** A flat array of names and values, which Node writes without the three passes over a headers object. */
function headersOf({ requestId, position }: ResponseMetadata, ...headers: readonly string[]): string[] {
  const common = [requestIdHeader, requestId, ...commonHeaders, ...headers];
  if (position !== null) common.push("X-Log-Position", position.commit.toString());
  return common;
}
