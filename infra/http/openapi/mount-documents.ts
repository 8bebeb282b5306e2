import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Express, RequestHandler } from "express";
import { namesEntityTag } from "../response/write-response.ts";
import type { Route } from "../routing/route.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./document.ts";

/**
 * `GET /openapi.json` and `GET /docs` of a listener's routes (contract/http.md#openapi): made once, without a token, with
 * an `ETag`, and nothing of them is loaded from elsewhere.
 */
export function mountDocuments(app: Express, routes: readonly Route[], server: string, version: string): void {
  const document = openApiDocument(routes, server, version);
  const { html, contentSecurityPolicy } = docsPage(document);
  app.get("/openapi.json", fromMemory(JSON.stringify(document), "application/json; charset=utf-8"));
  const page = fromMemory(html, "text/html; charset=utf-8");
  app.get("/docs", (request, response, next) => {
    response.setHeader("Content-Security-Policy", contentSecurityPolicy);
    return page(request, response, next);
  });
}

function fromMemory(text: string, mediaType: string): RequestHandler {
  const bytes = Buffer.from(text);
  const compressed = gzipSync(bytes);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return (request, response) => {
    const isCompressed = request.acceptsEncodings("gzip", "identity") === "gzip";
    response.setHeader("ETag", isCompressed ? `W/${etag}` : etag);
    response.setHeader("Cache-Control", "public, no-cache");
    response.setHeader("Vary", "Accept-Encoding");
    if (namesEntityTag(request.headers["if-none-match"], etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const body = isCompressed ? compressed : bytes;
    response.setHeader("Content-Type", mediaType);
    if (isCompressed) response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Content-Length", body.length);
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
