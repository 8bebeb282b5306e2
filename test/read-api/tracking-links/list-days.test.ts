import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { RouteRequest } from "../../../infra/http/routing/route.ts";
import type { LinkSearch } from "../../../projections/tracking-links/queries.ts";
import { linkListRoute } from "../../../read-api/tracking-links/list-links.ts";
import { shop } from "../../examples/app.ts";

const days = suite("the days of GET /v1/tracking-links are those of the app's time zone");

/** What is searched for where an app of that time zone asks for links `from` a day `to` another. */
async function searched(timezone: string, from: string, to: string): Promise<LinkSearch | null> {
  let asked: LinkSearch | null = null;
  const route = linkListRoute({
    baseUrl: "https://api.example",
    linkBaseUrl: "https://api.example/l",
    searchTrackingLinks: async (search) => {
      asked = search;
      return { totalCount: 0, linkIds: [] };
    },
    trackingLinksOf: async () => [],
  });
  const app = registeredApp({ ...shop, timezone }, "2026-01-01T00:00:00.000Z");
  await route.handle({ app, query: { from, to } } as unknown as RouteRequest<undefined, undefined>);
  return asked;
}

for (const [timezone, from, to, createdFrom, createdBefore] of [
  ["UTC", "2026-03-01", "2026-03-01", "2026-03-01T00:00Z", "2026-03-02T00:00Z"],
  ["Asia/Seoul", "2026-03-01", "2026-03-01", "2026-02-28T15:00Z", "2026-03-01T15:00Z"],
  ["Asia/Seoul", "2025-12-31", "2026-01-01", "2025-12-30T15:00Z", "2026-01-01T15:00Z"],
  ["Asia/Kathmandu", "2026-03-01", "2026-03-02", "2026-02-28T18:15Z", "2026-03-02T18:15Z"],
  // A day of 23 hours, one of 25, and one that begins at 01:00.
  ["America/New_York", "2026-03-08", "2026-03-08", "2026-03-08T05:00Z", "2026-03-09T04:00Z"],
  ["America/New_York", "2026-11-01", "2026-11-01", "2026-11-01T04:00Z", "2026-11-02T05:00Z"],
  ["America/Santiago", "2026-09-06", "2026-09-06", "2026-09-06T04:00Z", "2026-09-07T03:00Z"],
  ["Pacific/Kiritimati", "2024-02-29", "2024-02-29", "2024-02-28T10:00Z", "2024-02-29T10:00Z"],
] as const) {
  days(`${from} to ${to} in ${timezone} is from ${createdFrom} until ${createdBefore}`, async () => {
    assert.equal(await searched(timezone, from, to), {
      appId: shop.appId,
      createdFrom: new Date(createdFrom),
      createdBefore: new Date(createdBefore),
      keyword: null,
      channel: null,
      direction: "DESC",
      skip: 0,
      size: 50,
    });
  });
}

days.run();
