import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import type { RouteRequest } from "../../../infra/http/routing/route.ts";
import type { LinkSearch, TrackingLinkRow } from "../../../projections/tracking-links/queries.ts";
import { linkListRoute, listPieces } from "../../../read-api/tracking-links/list-links.ts";
import { shop } from "../../examples/app.ts";
import { aLink } from "../../examples/tracking-links.ts";
import { type LinkApplication, linkSuite } from "../../support/link-application.ts";
import { change, create } from "../../support/visitor.ts";

type Item = { readonly id: number; readonly [field: string]: unknown };

/** The local date on which the links are created, unless midnight passes during the test. */
const today = localDate("Asia/Seoul", Date.now());
const days = `from=${today}&to=${addDays(today, 1)}`;

async function list({ call }: LinkApplication, query: string, token = "owner") {
  const answer = await call("GET", `/v1/tracking-links?${query}`, { token });
  const { data } = answer.json as { data?: { totalCount: number; trackingLinks: readonly Item[] } };
  return { ...answer, totalCount: data?.totalCount, links: data?.trackingLinks ?? [] };
}

const listing = linkSuite("GET /v1/tracking-links");

listing("contains the detail and id of each link, as last changed", async ({ application }) => {
  const { id } = await create(application, {
    customShortId: "listed",
    deeplinkUrl: "shop://sale",
    ogTag: { title: "Sale" },
  });
  const changed = { deeplinkUrl: null, fallbackPaths: { ios: "https://shop.example/ios" } };
  await application.call("PATCH", `/v1/tracking-links/${id}/routing`, { token: "owner", body: changed });
  const { json } = await application.call("GET", `/v1/tracking-links/${id}`, { token: "owner" });
  const { status, totalCount, links } = await list(application, `${days}&keyword=LISTED`);
  assert.equal([status, totalCount, links], [200, 1, [{ id, ...(json as { data: object }).data }]]);
});

listing("leaves out archived links unless they are asked for", async ({ application }) => {
  const [kept, archived] = [await create(application, {}), await create(application, {})];
  await change(application, "archive", archived.id);
  const idsOf = async (status: string) =>
    (await list(application, `${days}&size=500${status}`)).links
      .map(({ id }) => id)
      .filter((id) => id === kept.id || id === archived.id);
  const lists = [await idsOf(""), await idsOf("&status=archived"), await idsOf("&status=all")];
  assert.equal(lists, [[kept.id], [archived.id], lists[2]]);
  assert.is(lists[2]?.length, 2);
  await change(application, "restore", archived.id);
  assert.equal(await idsOf("&status=archived"), []);
});

const faults: readonly (readonly [string, readonly string[]])[] = [
  ["from=2026-02-30&to=20260301", ["from", "to"]],
  ["from=2026-03-02&to=2026-03-01", ["from"]],
  [`${days}&size=0`, ["size"]],
  [`${days}&size=501`, ["size"]],
  [`${days}&skip=-1`, ["skip"]],
  [`${days}&sort_key=id`, ["sort_key"]],
  [`${days}&sort_type=desc`, ["sort_type"]],
  [`${days}&status=old`, ["status"]],
];
for (const [query, fields] of faults) {
  listing(`refuses ?${query} with 400`, async ({ application }) => {
    const { status, json } = await list(application, query);
    const { errors } = json as { errors: readonly { loc: readonly string[] }[] };
    assert.equal([status, errors.map(({ loc }) => loc)], [400, fields.map((field) => ["query", field])]);
  });
}

listing("accepts pages of 1 to 500", async ({ application }) => {
  const statuses = [];
  for (const size of [1, 499, 500]) statuses.push((await list(application, `${days}&size=${size}`)).status);
  assert.equal(statuses, [200, 200, 200]);
});

const pieces = suite("the text of a page of links");
const maxPieceLength = 256 * 1024;

const rowOf = (linkId: number): TrackingLinkRow => ({
  link: { ...aLink({ shortId: `link-${linkId}` }).data, linkId },
  revision: 0n,
  createdAt: new Date(0),
  archivedAt: null,
});

/** The pieces of a page of links that have so many characters each, and how many links each was made of. */
async function piecesOf(lengths: readonly number[], missing: ReadonlySet<number> = new Set()) {
  const requested: number[] = [];
  const made: string[] = [];
  const items = new Map(lengths.map((length, id) => [id, { id, text: "x".repeat(length) }]));
  const read = async (ids: readonly number[]) => {
    requested.push(ids.length);
    return ids.filter((id) => !missing.has(id)).map(rowOf);
  };
  const itemOf = ({ link }: TrackingLinkRow): object => items.get(link.linkId) ?? {};
  for await (const piece of listPieces(1_000, [...items.keys()], read, itemOf)) made.push(piece);
  const trackingLinks = [...items.values()].filter(({ id }) => !missing.has(id));
  return { requested, made, whole: { data: { totalCount: 1_000, trackingLinks } } };
}

pieces("is the same JSON however many links there are and however long they are", async () => {
  const lengths = fc.array(fc.oneof(fc.nat(200), fc.nat(200_000)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.uniqueArray(fc.nat(60)), async (all, missing) => {
      const { made, whole } = await piecesOf(all, new Set(missing));
      assert.equal(JSON.parse(made.join("")), whole);
    }),
    { numRuns: 50 },
  );
});

pieces("is made of ten links, and then of as many as fit", async () => {
  assert.equal((await piecesOf(Array(500).fill(500))).requested, [10, 100, 100, 100, 100, 90]);
  assert.equal((await piecesOf(Array(25).fill(100_000))).requested, [10, 2, 2, 2, 2, 2, 2, 2, 1]);
  assert.equal((await piecesOf(Array(14).fill(300_000))).requested, [10, 1, 1, 1, 1]);
  const { made } = await piecesOf(Array(300).fill(10_000));
  assert.ok(made.every(({ length }) => length <= maxPieceLength));
});

pieces("does not begin before something could be read", async () => {
  const failing = listPieces(1, [1], () => Promise.reject(new Error("away")), Object);
  assert.is(await failing.next().catch(({ message }) => message), "away");
});

const searching = suite("the search of GET /v1/tracking-links");

/** What is searched for in an app of that time zone. */
async function searched(timezone: string, query: object): Promise<LinkSearch | null> {
  let requested: LinkSearch | null = null;
  const route = linkListRoute({
    baseUrl: "https://api.example",
    linkBaseUrl: "https://api.example/l",
    searchTrackingLinks: async (search) => {
      requested = search;
      return { totalCount: 0, linkIds: [] };
    },
    trackingLinksOf: async () => [],
    linkStats: async () => null,
  });
  const app = registeredApp({ ...shop, timezone }, "2026-01-01T00:00:00.000Z", 0n);
  await route.handle({ app, query } as unknown as RouteRequest<undefined, undefined>);
  return requested;
}

const everyLink = {
  appId: shop.appId,
  keyword: null,
  channel: null,
  status: "active",
  direction: "DESC",
  skip: 0,
  size: 50,
};

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
  searching(`of ${from} to ${to} in ${timezone} is from ${createdFrom} until ${createdBefore}`, async () => {
    assert.equal(await searched(timezone, { from, to }), {
      ...everyLink,
      createdFrom: new Date(createdFrom),
      createdBefore: new Date(createdBefore),
    });
  });
}

searching("is of all dates before or after the only one, and of all without one", async () => {
  const [all, since, until] = [
    await searched("Asia/Seoul", {}),
    await searched("Asia/Seoul", { from: "2026-03-01" }),
    await searched("Asia/Seoul", { to: "2026-03-01" }),
  ];
  const [createdFrom, createdBefore] = [new Date("1999-12-31T15:00Z"), new Date("2999-12-31T15:00Z")];
  assert.equal(all, { ...everyLink, createdFrom, createdBefore });
  assert.equal(since, { ...everyLink, createdFrom: new Date("2026-02-28T15:00Z"), createdBefore });
  assert.equal(until, { ...everyLink, createdFrom, createdBefore: new Date("2026-03-01T15:00Z") });
});

searching("has the keyword, the channel, the order and the page", async () => {
  const range = { from: "2026-03-01", to: "2026-03-01" };
  const more = {
    ...{ keyword: "fresh idea", channel_name: "paged", status: "all" },
    ...{ sort_type: "ASC", sort_key: "createdAt" },
  };
  const {
    createdFrom: _from,
    createdBefore: _before,
    ...search
  } = (await searched("UTC", { ...range, ...more, skip: 1, size: 2 })) ?? {};
  const page = { direction: "ASC", skip: 1, size: 2 };
  assert.equal(search, { ...everyLink, keyword: "fresh idea", channel: "paged", status: "all", ...page });
});

pieces.run();
searching.run();
listing.run();
