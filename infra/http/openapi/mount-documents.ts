import type { Express, RequestHandler } from "express";
import { type LocalDate, localDate } from "../../../domain/values/local-time.ts";
import { fixedText } from "../response/fixed-text.ts";
import { getOnly } from "../server/get-only.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument, type Served } from "./document.ts";

interface Documents {
  readonly date: LocalDate;
  readonly openApi: RequestHandler;
  readonly docs: RequestHandler;
}

/**
 * `GET /openapi.json` and `GET /docs` of what an address serves (contract/http.md#openapi): without a token, with an `ETag`,
 * and without external resources. Both are made at the first request of a day (UTC), as examples have recent dates.
 */
export function mountDocuments(app: Express, served: Served, version: string): void {
  let made: Documents | null = null;
  const ofToday = (): Documents => {
    const date = localDate("UTC", Date.now());
    if (made?.date !== date) made = documentsOf(served, version, date);
    return made;
  };
  getOnly(app, "/openapi.json", (...call) => ofToday().openApi(...call));
  getOnly(app, "/docs", (...call) => ofToday().docs(...call));
}

function documentsOf(served: Served, version: string, date: LocalDate): Documents {
  const document = openApiDocument(served, version, date);
  const { html, contentSecurityPolicy } = docsPage(document);
  const sendPage = fixedText(() => html, "text/html; charset=utf-8");
  return {
    date,
    openApi: fixedText(() => JSON.stringify(document), "application/json; charset=utf-8"),
    docs: (request, response, next) => {
      response.setHeader("Content-Security-Policy", contentSecurityPolicy);
      return sendPage(request, response, next);
    },
  };
}
