import type { Express } from "express";
import { fromMemory } from "../response/from-memory.ts";
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
