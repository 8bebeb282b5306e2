import type { Express } from "express";
import { fromMemory } from "../response/from-memory.ts";
import { getOnly } from "../server/get-only.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument, type Served } from "./document.ts";

/**
 * `GET /openapi.json` and `GET /docs` of what an address serves (contract/http.md#openapi): made at the first request,
 * without a token, with an `ETag`, and without external resources.
 */
export function mountDocuments(app: Express, served: Served, version: string): void {
  const document = () => openApiDocument(served, version, Date.now());
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
