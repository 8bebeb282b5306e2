import type { JSONSchema } from "json-schema-to-ts";
import { appRoute, type Route, refuse } from "../../infra/http/routing/route.ts";
import {
  type FoundLinks,
  type LinkSearch,
  linkStatuses,
  type TrackingLinkRow,
} from "../../projections/tracking-links/queries.ts";
import { dateParameters, instantsOfDates, listParameters, pageOf } from "../listing.ts";
import { listLinksDocs } from "./docs.ts";
import { linkDetail, type PublicUrls } from "./link-detail.ts";

export type SearchTrackingLinks = (search: LinkSearch) => Promise<FoundLinks>;

/** Links of an app in the order of their ids. */
export type TrackingLinksOf = (appId: number, linkIds: readonly number[]) => Promise<readonly TrackingLinkRow[]>;

export interface LinkListOptions extends PublicUrls {
  readonly searchTrackingLinks: SearchTrackingLinks;
  readonly trackingLinksOf: TrackingLinksOf;
}

/** Query of the list of links (contract/tracking-links.md#listing). */
const linkListQuery = {
  type: "object",
  required: ["from", "to"],
  properties: {
    ...dateParameters,
    ...listParameters,
    keyword: { type: "string" },
    channel_name: { type: "string" },
    status: { type: "string", enum: linkStatuses },
    sort_key: { type: "string", enum: ["createdAt"] },
    sort_type: { type: "string", enum: ["DESC", "ASC"] },
  },
} as const satisfies JSONSchema;

/** `GET /v1/tracking-links`: an app's links by creation date and keyword (contract/tracking-links.md#listing). */
export function linkListRoute({ searchTrackingLinks, trackingLinksOf, ...urls }: LinkListOptions): Route {
  return appRoute({
    method: "get",
    path: "/v1/tracking-links",
    docs: listLinksDocs,
    operation: "manage_tracking_links",
    query: linkListQuery,
    reads: "control",
    async handle({ app, query }) {
      const { keyword = null, channel_name: channel = null } = query;
      const created = instantsOfDates(app.timezone, query);
      if ("status" in created) return refuse(created);
      const { totalCount, linkIds } = await searchTrackingLinks({
        appId: app.appId,
        createdFrom: created.from,
        createdBefore: created.before,
        keyword,
        channel,
        status: query.status ?? "active",
        direction: query.sort_type ?? "DESC",
        ...pageOf(query),
      });
      const read = (ids: readonly number[]) => trackingLinksOf(app.appId, ids);
      const itemOf = (row: TrackingLinkRow) => ({ id: row.link.linkId, ...linkDetail(row, app, urls) });
      const pieces = listPieces(totalCount, linkIds, read, itemOf);
      return { kind: "streamed", mediaType: "application/json; charset=utf-8", pieces };
    },
  });
}

/** Approximate characters of a piece, which is made without yielding to other requests. */
const pieceLength = 256 * 1024;
const [firstLinks, maxLinks] = [10, 100];

/** JSON of a page of links, made while it is sent: 500 links of maximum size are 84 MB. */
export async function* listPieces(
  totalCount: number,
  linkIds: readonly number[],
  read: (linkIds: readonly number[]) => Promise<readonly TrackingLinkRow[]>,
  itemOf: (row: TrackingLinkRow) => object,
): AsyncGenerator<string> {
  let head = `{"data":{"totalCount":${totalCount},"trackingLinks":[`;
  let separator = "";
  let count = firstLinks;
  for (let start = 0; start < linkIds.length; ) {
    const ids = linkIds.slice(start, start + count);
    const items = (await read(ids)).map((row) => JSON.stringify(itemOf(row))).join(",");
    if (items !== "") {
      yield head + separator + items;
      [head, separator] = ["", ","];
    }
    start += ids.length;
    count = Math.min(Math.max(Math.floor((ids.length * pieceLength) / items.length), 1), maxLinks);
  }
  yield `${head}]}}`;
}
