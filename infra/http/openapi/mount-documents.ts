import type { Express } from "express";
import { fromMemory } from "../response/from-memory.ts";
import type { Route } from "../routing/route.ts";
import { getOnly } from "../server/get-only.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./document.ts";

/**
 * `GET /openapi.json` and `GET /docs` of a listener's routes (contract/http.md#openapi): made at the first request,
 * without a token, with an `ETag`, and without external resources.
 */
export function mountDocuments(app: Express, routes: readonly Route[], server: string, version: string): void {
  const document = () => openApiDocument(routes, server, version);
  getOnly(
    app,
    "/openapi.json",
    fromMemory(() => JSON.stringify(document()), "application/json; charset=utf-8"),
  );
  let page: ReturnType<typeof docsPage> | null = null;
  const made = () => (page ??= docsPage(document()));
  const sendPage = fromMemory(() => made().html, "text/html; charset=utf-8");
  getOnly(app, "/docs", (request, response, next) => {
    response.setHeader("Content-Security-Policy", made().contentSecurityPolicy);
    return sendPage(request, response, next);
  });
}
