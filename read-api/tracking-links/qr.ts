import type { JSONSchema } from "json-schema-to-ts";
import { fault } from "../../domain/fault.ts";
import { linkUrls } from "../../domain/tracking-links/link-urls.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, type Route, refuse } from "../../infra/http/routing/route.ts";
import { findLink, type TrackingLinkOf } from "./find-link.ts";
import { qrCode, qrPng, qrSvg } from "./qr-code.ts";
import { linkNamingQuery } from "./schemas.ts";

export interface QrOptions {
  readonly trackingLinkOf: TrackingLinkOf;
  readonly linkBaseUrl: string;
}

const qrQuery = {
  type: "object",
  properties: {
    ...linkNamingQuery.properties,
    format: { type: "string", enum: ["svg", "png"] },
    size: { type: "integer", minimum: 64, maximum: 2048 },
  },
} as const satisfies JSONSchema;

const defaultSize = 512;

const linkNotFound: Problem = { status: 404, code: "TRACKING_LINK_NOT_FOUND" };

/**
 * `GET /v1/tracking-links/{id}/qr` (contract/tracking-links.md#qr-codes): the short URL of a link as a QR code, `size`
 * pixels wide and high.
 */
export function qrRoute({ trackingLinkOf, linkBaseUrl }: QrOptions): Route {
  return appRoute({
    method: "get",
    path: "/v1/tracking-links/:id/qr",
    operation: "manage_tracking_links",
    query: qrQuery,
    reads: "control",
    async handle({ app, params, query }) {
      const { id = "" } = params;
      const { idType = "id", format = "svg", size = defaultSize } = query;
      const found = await findLink(trackingLinkOf, app.appId, idType, id);
      if (found === null) return refuse(linkNotFound);
      const code = qrCode(linkUrls(linkBaseUrl, { ...found.link, appName: app.name }).shortUrl);
      if (size < code.side) return refuse(tooSmall(code.side));
      // The short URL of a link never changes.
      const headers = { "Cache-Control": "private, max-age=86400" };
      return format === "svg"
        ? { kind: "written", text: qrSvg(code, size), mediaType: "image/svg+xml; charset=utf-8", headers }
        : { kind: "written", text: await qrPng(code, size), mediaType: "image/png", headers };
    },
  });
}

function tooSmall(least: number): Problem {
  return validationFailed([fault("out_of_range.qr_modules", ["query", "size"], { limit: least })]);
}
