import type { Response } from "express";
import type { LogPosition } from "../../domain/recorded-event.ts";
import type { Page } from "./visitor-pages.ts";

/** Nothing that a link answers may be kept, and no destination learns the URL, which can hold ids of a device. */
const everyAnswer = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Sends a visitor on. `position`: where the click is recorded. */
export function sendOn(response: Response, location: string, position: LogPosition | null): void {
  response.writeHead(302, { ...everyAnswer, ...recordedAt(position), Location: location, "Content-Length": 0 }).end();
}

/** Shows a visitor a page; to `HEAD` only its headers. */
export function showPage(response: Response, status: number, page: Page, position: LogPosition | null = null): void {
  response
    .writeHead(status, {
      ...everyAnswer,
      ...recordedAt(position),
      "Content-Security-Policy": page.contentSecurityPolicy,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": Buffer.byteLength(page.html),
    })
    .end(page.html);
}

/** D4.7: an impression's 1x1 GIF. */
export function showPixel(response: Response, position: LogPosition | null): void {
  response
    .writeHead(200, {
      ...everyAnswer,
      ...recordedAt(position),
      "Content-Type": "image/gif",
      "Content-Length": pixel.length,
    })
    .end(pixel);
}

function recordedAt(position: LogPosition | null): { readonly "X-Log-Position"?: string } {
  return position === null ? {} : { "X-Log-Position": position.commit.toString() };
}
