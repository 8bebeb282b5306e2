import type { JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { fault } from "../../domain/fault.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import type { DateRange } from "../../domain/reporting/masking.ts";
import { addDays, daysBetween, earliestDate, type LocalDate, localDate } from "../../domain/values/local-time.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { PublicUrls } from "../../infra/http/server/serve-by-host.ts";
import { noStats, type StatsOfLink } from "../../projections/reports/actuals/link-stats.ts";
import {
  type FoundLinks,
  type LinkSearch,
  linkStatuses,
  type TrackingLinkRow,
} from "../../projections/tracking-links/queries.ts";
import { boundedReads } from "../bounded-reads.ts";
import { dateParameters, instantsOfDates, listParameters, pageOf } from "../listing.ts";
import { listLinksDocs } from "./docs.ts";
import { linkDetail } from "./link-detail.ts";

export type SearchTrackingLinks = (search: LinkSearch) => Promise<FoundLinks>;

/** Links of an app in the order of their ids. */
export type TrackingLinksOf = (appId: number, linkIds: readonly number[]) => Promise<readonly TrackingLinkRow[]>;

export interface LinkListOptions extends PublicUrls {
  /** Clicks and installs of links on dates at an instant; null: it took too long. */
  readonly linkStats: (
    app: RegisteredApp,
    range: DateRange,
    now: Date,
    linkIds: readonly number[],
  ) => Promise<StatsOfLink | null>;
  readonly searchTrackingLinks: SearchTrackingLinks;
  readonly trackingLinksOf: TrackingLinksOf;
}

/** Query of the list of links (contract/tracking-links.md#listing). */
const linkListQuery = {
  type: "object",
  properties: {
    ...dateParameters,
    ...listParameters,
    keyword: { type: "string" },
    channel_name: { type: "string" },
    status: { type: "string", enum: linkStatuses },
    stats: { type: "boolean" },
    sort_key: { type: "string", enum: ["createdAt"] },
    sort_type: { type: "string", enum: ["DESC", "ASC"] },
  },
} as const satisfies JSONSchema;

/** `GET /v1/tracking-links`: an app's links by creation date and keyword (contract/tracking-links.md#listing). */
export function linkListRoute(options: LinkListOptions): Route {
  const { searchTrackingLinks, trackingLinksOf, linkStats, ...urls } = options;
  const reads = boundedReads("OVERLOADED.link_stats", { status: 503, code: "LINK_STATS_TOO_SLOW" });
  return appRoute({
    method: "get",
    path: "/v1/tracking-links",
    docs: listLinksDocs,
    operation: "manage_tracking_links",
    query: linkListQuery,
    reads: "control",
    alsoReads: ({ stats }) => (stats === true ? "facts" : null),
    async handle({ app, query, receivedAt }) {
      const { keyword = null, channel_name: channel = null } = query;
      const created = instantsOfDates(app.timezone, query);
      if ("status" in created) return refuse(created);
      const now = new Date(receivedAt);
      const range = query.stats === true ? statsRange(localDate(app.timezone, now.getTime()), query) : null;
      if (range !== null && "status" in range) return refuse(range);
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
      const isCounted = range !== null && range.from <= range.to && linkIds.length > 0;
      const stats = isCounted ? await reads.run(() => linkStats(app, range, now, linkIds)) : { found: noStats };
      if ("status" in stats) return refuse(stats);
      const read = (ids: readonly number[]) => trackingLinksOf(app.appId, ids);
      const itemOf = (row: TrackingLinkRow) => ({
        id: row.link.linkId,
        ...linkDetail(row, app, urls),
        ...(range === null ? {} : { stats: stats.found(row.link) }),
      });
      const pieces = listPieces(totalCount, linkIds, read, itemOf);
      return { kind: "streamed", mediaType: "application/json; charset=utf-8", pieces };
    },
  });
}

/**
 * The dates of a list until today, on which clicks and installs are counted; without a first date as many as are allowed.
 * `from` is after `to` if nothing is counted.
 */
function statsRange(today: LocalDate, { from, to = today }: Partial<DateRange>): DateRange | Problem {
  const until = to < today ? to : today;
  if (from === undefined) {
    return { from: until < earliestDate ? earliestDate : addDays(until, 1 - reportLimits.days), to: until };
  }
  if (from <= until && daysBetween(from, until) >= reportLimits.days) {
    return validationFailed([fault("out_of_range.too_many_dates", ["query", "to"], { limit: reportLimits.days })]);
  }
  return { from, to: until };
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
