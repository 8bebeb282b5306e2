import { addDays, startOfDay } from "../../domain/local-time.ts";
import { type Problem, problems } from "../../infra/http/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/route.ts";
import type { FoundLinks, LinkSearch } from "../../projections/tracking-links/queries.ts";
import { linkDetail, type PublicUrls } from "./link-detail.ts";
import { linkListQuery } from "./schemas.ts";

export type SearchTrackingLinks = (search: LinkSearch) => Promise<FoundLinks>;

export interface LinkListOptions extends PublicUrls {
  readonly searchTrackingLinks: SearchTrackingLinks;
}

const defaultSize = 50;
/** No link was created before or will be after: days beyond, down to years that no calendar has, mean these. */
const [firstDay, lastDay] = ["2000-01-01", "2999-12-31"];

const daysReversed: Problem = {
  ...problems.validationFailed,
  errors: [{ loc: ["query", "from"], msg: "must not be after to", type: "out_of_range" }],
};

/** `GET /v1/tracking-links`: an app's links, found by when they were created and by keyword (A, D4.10). */
export function linkListRoute({ searchTrackingLinks, ...urls }: LinkListOptions): Route {
  return route({
    method: "get",
    path: "/v1/tracking-links",
    operation: "manage_tracking_links",
    query: linkListQuery,
    reads: "control",
    async handle({ app, query }) {
      if (app === null) return refuse(problems.appNotFound);
      const { from, to, skip = 0, size = defaultSize, keyword = null, channel_name: channel = null } = query;
      if (from > to) return refuse(daysReversed);
      const { totalCount, links } = await searchTrackingLinks({
        appId: app.appId,
        createdFrom: new Date(startOfDay(app.timezone, within(from))),
        createdBefore: new Date(startOfDay(app.timezone, addDays(within(to), 1))),
        keyword,
        channel,
        direction: query.sort_type ?? "DESC",
        skip,
        size,
      });
      const trackingLinks = links.map((link) => ({ id: link.link.linkId, ...linkDetail(link, app, urls) }));
      return ok({ data: { totalCount, trackingLinks } });
    },
  });
}

function within(date: string): string {
  if (date < firstDay) return firstDay;
  return date > lastDay ? lastDay : date;
}
