import type { JSONSchema } from "json-schema-to-ts";
import { encode } from "uqr";
import { fault } from "../../domain/fault.ts";
import { linkAddresses } from "../../domain/tracking-links/link-addresses.ts";
import { linkNamingQuery } from "../../infra/http/request/link-id-type.ts";
import { blackAndWhitePng, type Fields } from "../../infra/http/response/png.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, type Route, refuse } from "../../infra/http/routing/route.ts";
import { qrDocs } from "./docs.ts";
import { findLink, linkNotFound, type TrackingLinkOf } from "./find-link.ts";

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

/** `GET /v1/tracking-links/{id}/qr`: the short URL of a link as a QR code (contract/tracking-links.md#qr-codes). */
export function qrRoute({ trackingLinkOf, linkBaseUrl }: QrOptions): Route {
  return appRoute({
    method: "get",
    path: "/v1/tracking-links/:id/qr",
    docs: qrDocs,
    operation: "manage_tracking_links",
    query: qrQuery,
    reads: "control",
    async handle({ app, params, query }) {
      const { id = "" } = params;
      const { idType = "id", format = "svg", size = defaultSize } = query;
      const found = await findLink(trackingLinkOf, app.appId, idType, id);
      if (found === null) return refuse(linkNotFound);
      const code = qrCode(linkAddresses(linkBaseUrl, { ...found.link, appName: app.name }).shortUrl);
      if (size < code.side) return refuse(tooSmall(code.side));
      // The short URL of a link never changes.
      const headers = { "Cache-Control": "private, max-age=86400" };
      return format === "svg"
        ? { kind: "written", text: qrSvg(code, size), mediaType: "image/svg+xml; charset=utf-8", headers }
        : { kind: "written", text: await blackAndWhitePng(code, size), mediaType: "image/png", headers };
    },
  });
}

function tooSmall(least: number): Problem {
  return validationFailed([fault("out_of_range.qr_modules", ["query", "size"], { limit: least })]);
}

/** White modules around the code, which readers need. */
const quietZone = 4;

/** The modules of a QR code with its quiet zone; error correction level M (15 %). */
function qrCode(text: string): Fields {
  const { size, data } = encode(text, { ecc: "M", border: quietZone });
  return { side: size, isBlack: (row, column) => data[row]?.[column] ?? false };
}

/** An SVG document of `size` pixels, width and height. */
function qrSvg({ side, isBlack }: Fields, size: number): string {
  let path = "";
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      if (!isBlack(row, column)) continue;
      const start = column;
      while (isBlack(row, column + 1)) column += 1;
      const run = column - start + 1;
      path += `M${start} ${row}h${run}v1h-${run}z`;
    }
  }
  const box = `width="${size}" height="${size}" viewBox="0 0 ${side} ${side}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}h-${side}z"/><path d="${path}"/></svg>`
  );
}
