import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import type { LinkStats } from "../../../projections/reports/actuals/link-stats.ts";
import { linkListRoute } from "../../../read-api/tracking-links/list-links.ts";
import { shop } from "../../examples/app.ts";
import { aLink } from "../../examples/tracking-links.ts";
import { startApplication } from "../../support/application.ts";
import { problemOf } from "../../support/short-faults.ts";

const today = localDate(shop.timezone, Date.now());
const link = aLink().data;
const numbers: LinkStats = { clicks: { value: 3, isMasked: false }, installs: { value: null, isMasked: true } };
const queries: object[] = [];
let answer: () => Promise<LinkStats | null> = async () => numbers;

const application = await startApplication({
  routes: [
    linkListRoute({
      ...{ baseUrl: "https://api.example", linkBaseUrl: "https://api.example/l" },
      searchTrackingLinks: async () => ({ totalCount: 1, linkIds: [link.linkId] }),
      trackingLinksOf: async () => [{ link, revision: 0n, createdAt: new Date(0), archivedAt: null }],
      linkStats: async ({ appId }, range, _now, linkIds) => {
        queries.push({ appId, ...range, linkIds });
        const found = await answer();
        return found && (() => found);
      },
    }),
  ],
});
const list = (query: string, headers = {}) =>
  application.call("GET", `/v1/tracking-links?${query}`, { token: "owner", headers });
const read = (from: string, to: string, more = "&stats=true", headers = {}) =>
  list(`from=${from}&to=${to}${more}`, headers);
const statsIn = ({ json }: { readonly json: unknown }) =>
  (json as { data: { trackingLinks: readonly { stats?: LinkStats }[] } }).data.trackingLinks.map(({ stats }) => stats);

const stats = suite("GET /v1/tracking-links?stats=true");
stats.after(() => application.close());
stats.after.each(() => {
  queries.length = 0;
  answer = async () => numbers;
});

stats("has the clicks and installs of each link on the dates of the list", async () => {
  assert.equal(statsIn(await read("2026-03-01", "2026-03-31")), [numbers]);
  assert.equal(queries, [{ appId: shop.appId, from: "2026-03-01", to: "2026-03-31", linkIds: [link.linkId] }]);
});

stats("are left out unless requested", async () => {
  assert.equal(statsIn(await read("2026-03-01", "2026-03-31", "")), [undefined]);
  assert.equal(statsIn(await read("2026-03-01", "2026-03-31", "&stats=false")), [undefined]);
  assert.equal(queries, []);
});

stats("are of dates until today, and zero for future dates", async () => {
  await read(today, addDays(today, 400));
  assert.equal(queries, [{ appId: shop.appId, from: today, to: today, linkIds: [link.linkId] }]);
  const zero = { value: 0, isMasked: false };
  assert.equal(statsIn(await read(addDays(today, 1), addDays(today, 2))), [{ clicks: zero, installs: zero }]);
  assert.is(queries.length, 1);
});

for (const [dates, outcome] of [
  [91, 200],
  [92, 200],
  [93, 400],
] as const) {
  stats(`of ${dates} dates are ${outcome}`, async () => {
    const answered = await read(addDays(today, 1 - dates), today);
    assert.is(answered.status, outcome);
    const errors = [["query", "to", "out_of_range"]];
    if (outcome === 400) assert.equal(problemOf(answered), { status: 400, code: "VALIDATION_FAILED", errors });
    assert.is((await read(addDays(today, 1 - dates), today, "")).status, 200);
  });
}

for (const [query, from, to] of [
  ["", addDays(today, -91), today],
  [`&to=${addDays(today, 1)}`, addDays(today, -91), today],
  ["&to=2026-03-31", "2025-12-30", "2026-03-31"],
  [`&from=${addDays(today, -2)}`, addDays(today, -2), today],
] as const) {
  stats(`of ?stats=true${query} are of ${from} to ${to}`, async () => {
    assert.equal(statsIn(await list(`stats=true${query}`)), [numbers]);
    assert.equal(queries, [{ appId: shop.appId, from, to, linkIds: [link.linkId] }]);
  });
}

stats("are zero before the first date of any event", async () => {
  const zero = { value: 0, isMasked: false };
  assert.equal(statsIn(await list("stats=true&to=0001-01-01")), [{ clicks: zero, installs: zero }]);
});

stats("wait for the facts too before they are read", async () => {
  application.waitedFor.length = 0;
  await read(today, today, "&stats=true", { "X-Min-Position": "0" });
  await read(today, today, "", { "X-Min-Position": "0" });
  assert.equal(application.waitedFor, [
    ["control", 0n],
    ["facts", 0n],
    ["control", 0n],
  ]);
});

stats("are 503 while four others are read, and when it takes too long", async () => {
  const ends: ((found: LinkStats) => void)[] = [];
  answer = () => new Promise((resolve) => ends.push(resolve));
  const reading = Array.from({ length: 4 }, () => read(today, today));
  while (ends.length < 4) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(problemOf(await read(today, today)), { status: 503, code: "OVERLOADED", errors: [] });
  for (const end of ends) end(numbers);
  assert.equal(
    (await Promise.all(reading)).map(({ status }) => status),
    [200, 200, 200, 200],
  );
  answer = async () => null;
  assert.equal(problemOf(await read(today, today)), { status: 503, code: "LINK_STATS_TOO_SLOW", errors: [] });
});

stats.run();
