import { readFileSync } from "node:fs";
import type { Express } from "express";
import { fixedText } from "../response/fixed-text.ts";
import { getOnly } from "./get-only.ts";

const cacheControl = "public, max-age=3600, stale-while-revalidate=86400";

/** The script as `infra/build.js` has made it of `web/tl.ts`. */
function webSnippet(): string {
  return readFileSync(new URL(import.meta.resolve("#dist/web/tl.js")), "utf8");
}

/** `GET /tl.js` (contract/web-snippet.md): for pages of every origin, without a token. */
export function mountWebSnippet(app: Express): void {
  const script = fixedText(webSnippet, "text/javascript; charset=utf-8", cacheControl);
  getOnly(app, "/tl.js", (request, response, next) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    return script(request, response, next);
  });
}
