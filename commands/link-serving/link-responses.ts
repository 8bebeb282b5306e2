import type { Response } from "express";
import type { LogPosition } from "../../domain/event.ts";
import { requestIdHeader } from "../../infra/http/response/request-id.ts";
import type { Page } from "./pages.ts";

/** Nothing that a link answers may be kept, and no destination learns the URL, which can hold ids of a device. */
const everyAnswer = [
  "Cache-Control",
  "no-store",
  "Referrer-Policy",
  "no-referrer",
  "X-Content-Type-Options",
  "nosniff",
] as const;

/** One transparent dot; with the code that ends its data, which the shortest ones in use leave out. */
const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==", "base64");

/** What every answer to a visitor tells. */
export interface ResponseMetadata {
  readonly requestId: string;
  /** Where the visit is recorded; null when it is not, or not yet. */
  readonly position: LogPosition | null;
}

/** Sends a visitor on. */
export function sendRedirect(response: Response, location: string, answer: ResponseMetadata): void {
  response.writeHead(302, headersOf(answer, "Location", location, "Content-Length", "0")).end();
}

/** Shows a visitor a page; to `HEAD` only its headers. */
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

/** Names and values in turn: what Node writes as it is, while an object of headers is looked at three times. */
function headersOf({ requestId, position }: ResponseMetadata, ...headers: readonly string[]): string[] {
  const common = [requestIdHeader, requestId, ...everyAnswer, ...headers];
  if (position !== null) common.push("X-Log-Position", position.commit.toString());
  return common;
}
