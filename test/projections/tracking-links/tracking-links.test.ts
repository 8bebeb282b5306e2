import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TrackingLinkEvent } from "../../../domain/tracking-links/events.ts";
import { trackingLinksProjection } from "../../../projections/tracking-links/projection.ts";
import {
  channelsOfLinks,
  type LinkSearch,
  searchTrackingLinks,
  trackingLinkById,
  trackingLinkOf,
  trackingLinksOf,
} from "../../../projections/tracking-links/queries.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { aLink, noFallbacks } from "../../examples/tracking-links.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const links = await openProjection(trackingLinksProjection);
const readModel = suite("the read model of tracking links");
readModel.after(() => links.close());

const [spring, summer] = [aLink(), aLink({ shortId: "summer-sale", appId: 2, deeplinkUrl: null })];
const routed = (linkId: number, deeplinkUrl: string): TrackingLinkEvent => ({
  type: "RoutingChanged",
  data: { linkId, deeplinkUrl, fallbackPaths: { ...noFallbacks, ios: "https://ios.example/" } },
});
const tagged = (linkId: number, title: string): TrackingLinkEvent => ({
  type: "OgTagChanged",
  data: { linkId, ogTag: { title, description: "text", imageUrl: null } },
});
const campaign = (linkId: number, text: string): TrackingLinkEvent => ({
  type: "CampaignParamsChanged",
  data: { linkId, campaignParams: { campaign: text } },
});
const archived = (linkId: number): TrackingLinkEvent => ({ type: "TrackingLinkArchived", data: { linkId } });
const restored = (linkId: number): TrackingLinkEvent => ({ type: "TrackingLinkRestored", data: { linkId } });

readModel("returns a link of an app by its id", async () => {
  await links.rebuild(recordedLog<TrackingLinkEvent>([spring, summer], 0n));
  const createdAt = new Date("2026-03-31T00:00:00.000Z");
  const { appId, linkId } = spring.data;
  const link = { link: spring.data, revision: 0n, createdAt, archivedAt: null };
  assert.equal(await trackingLinkOf(links, appId, linkId), link);
  assert.is(await trackingLinkOf(links, summer.data.appId, linkId), null);
  assert.is(await trackingLinkById(links, 7), null);
});

readModel("returns a link in its latest state, with its revision", async () => {
  const { linkId } = spring.data;
  const history = [
    spring,
    routed(linkId, "a://1"),
    tagged(linkId, "old"),
    tagged(linkId, "new"),
    campaign(linkId, "summer"),
    routed(linkId, "a://2"),
  ];
  await links.rebuild(recordedLog(history, 0n));
  const link = await trackingLinkById(links, linkId);
  assert.is(link?.revision, 500n);
  assert.equal(link?.link, {
    ...spring.data,
    campaignParams: { campaign: "summer" },
    deeplinkUrl: "a://2",
    fallbackPaths: { ...noFallbacks, ios: "https://ios.example/" },
    ogTag: { title: "new", description: "text", imageUrl: null },
  });
});

readModel("is the same however the events are split into batches and repeated", async () => {
  const { linkId } = spring.data;
  const changes = [
    ...[routed(linkId, "a://1"), archived(linkId), tagged(linkId, "old"), restored(linkId), campaign(linkId, "old")],
    ...[
      campaign(linkId, "new"),
      routed(linkId, "a://2"),
      archived(summer.data.linkId),
      archived(linkId),
      tagged(linkId, "new"),
    ],
  ];
  const later = recordedLog<TrackingLinkEvent>([aLink({ shortId: "autumn-sale" }), aLink({ shortId: "winter" })], 800n);
  const log = [...recordedLog<TrackingLinkEvent>([spring, summer, ...changes], 0n), ...later];
  await assertSameRowsForAnySplit(links.db, trackingLinksProjection, log);
});

const anyTime = { createdFrom: new Date(0), createdBefore: new Date("2100-01-01") };
const searching = { ...anyTime, keyword: null, channel: null, status: "active" } as const;
const found = async (search: Partial<LinkSearch>) => {
  const all = { appId: 1, ...searching, direction: "ASC", skip: 0, size: 500, ...search } as const;
  const { totalCount, linkIds } = await searchTrackingLinks(links, all);
  const rows = await trackingLinksOf(links, all.appId, linkIds);
  return { totalCount, shortIds: rows.map(({ link }) => link.shortId) };
};

readModel("finds links by keyword, whatever its case and characters", async () => {
  const created = [
    aLink({ shortId: "one", channel: "Google.AdWords", campaignParams: { campaign: "100%_Sale", termId: "Straße" } }),
    aLink({ shortId: "TWO", channel: "partner", campaignParams: { campaign: "ΟΔΟΣ", subId3: "back\\slash" } }),
    aLink({ shortId: "three", channel: "봄 세일", campaignParams: { content: "1000 Sale" } }),
  ];
  await links.rebuild(recordedLog<TrackingLinkEvent>(created, 0n));
  const expected: readonly (readonly [string, readonly string[]])[] = [
    ["", ["TWO", "one", "three"]],
    ["sale", ["one", "three"]],
    ["ADWORDS", ["one"]],
    ["two", ["TWO"]],
    ["100%", ["one"]],
    ["%_", ["one"]],
    ["o_e", []],
    ["οδος", ["TWO"]],
    ["k\\s", ["TWO"]],
    ["straße", ["one"]],
    ["세일", ["three"]],
    ["twopartner", []],
    ["e", ["TWO", "one", "three"]],
    ["nothing", []],
  ];
  for (const [keyword, shortIds] of expected) {
    const { totalCount, shortIds: actual } = await found({ keyword });
    assert.equal([totalCount, [...actual].sort()], [shortIds.length, [...shortIds]], keyword);
  }
  assert.equal(await found({ keyword: "e", channel: "partner" }), { totalCount: 1, shortIds: ["TWO"] });
  assert.equal(await found({ channel: "PARTNER" }), { totalCount: 0, shortIds: [] });
  assert.equal(await found({ appId: 2 }), { totalCount: 0, shortIds: [] });
});

readModel("finds links by their campaign parameters as last changed", async () => {
  const link = aLink({ shortId: "one", channel: "partner", campaignParams: { campaign: "spring", term: "shoes" } });
  await links.rebuild(recordedLog<TrackingLinkEvent>([link, campaign(link.data.linkId, "Summer")], 0n));
  const counts = [];
  for (const keyword of ["spring", "shoes", "SUMMER", "one", "partner", "partnersummer"]) {
    counts.push((await found({ keyword })).totalCount);
  }
  assert.equal(counts, [0, 0, 1, 1, 1, 0]);
});

readModel("pages, sorts and counts by when links were created, then by id", async () => {
  const minutes = [0, 15, 15, 15, 30, 31];
  const log = recordedLog<TrackingLinkEvent>(
    minutes.map((_minute, index) => aLink({ shortId: `link-${index}` })),
    0n,
  ).map((event, index) => ({
    ...event,
    metadata: { ...event.metadata, occurredAt: new Date(Date.UTC(2026, 2, 1, 0, minutes[index])).toISOString() },
  }));
  await links.rebuild(log);
  const at = (index: number): readonly [number, number] => [
    minutes[index] ?? 0,
    aLink({ shortId: `link-${index}` }).data.linkId,
  ];
  const order = [...minutes.keys()].sort((a, b) => at(a)[0] - at(b)[0] || at(a)[1] - at(b)[1]).map((n) => `link-${n}`);
  assert.equal(await found({}), { totalCount: 6, shortIds: order });
  assert.equal(await found({ direction: "DESC" }), { totalCount: 6, shortIds: [...order].reverse() });
  assert.equal(await found({ skip: 2, size: 3 }), { totalCount: 6, shortIds: order.slice(2, 5) });
  assert.equal(await found({ skip: 6 }), { totalCount: 6, shortIds: [] });
  const createdFrom = new Date("2026-03-01T00:15:00Z");
  const createdBefore = new Date("2026-03-01T00:30:00Z");
  for (const keyword of [null, "link"]) {
    assert.equal(await found({ createdFrom, createdBefore, keyword }), {
      totalCount: 3,
      shortIds: order.slice(1, 4),
    });
  }
});

readModel("finds and counts links by whether they are archived, with a keyword and without", async () => {
  const created = ["one", "two", "three"].map((shortId) => aLink({ shortId }));
  const [one = 0, two = 0] = created.map(({ data }) => data.linkId);
  const history = [...created, archived(one), archived(two), restored(one), archived(two)];
  await links.rebuild(recordedLog<TrackingLinkEvent>(history, 0n));
  const namesOf = async (status: LinkSearch["status"], keyword: string | null) => {
    const { totalCount, shortIds } = await found({ status, keyword });
    return [totalCount, ...[...shortIds].sort()];
  };
  for (const keyword of [null, "partner"]) {
    assert.equal(await namesOf("active", keyword), [2, "one", "three"]);
    assert.equal(await namesOf("archived", keyword), [1, "two"]);
    assert.equal(await namesOf("all", keyword), [3, "one", "three", "two"]);
  }
  assert.is((await trackingLinkById(links, two))?.archivedAt?.toISOString(), "2026-03-31T00:00:00.000Z");
  assert.is((await trackingLinkById(links, one))?.archivedAt, null);
});

readModel("knows which channels the links of an app have", async () => {
  const one = aLink({ shortId: "one", channel: "posters" });
  const [two, ofOther] = [aLink({ shortId: "two" }), aLink({ shortId: "three", channel: "billboards", appId: 2 })];
  await links.rebuild(recordedLog<TrackingLinkEvent>([one, two, ofOther, archived(one.data.linkId)], 0n));
  const among = ["partner", "billboards", "posters"];
  assert.equal(await channelsOfLinks(links, one.data.appId, among), ["partner", "posters"]);
  assert.equal(await channelsOfLinks(links, 2, among), ["billboards"]);
  assert.equal(await channelsOfLinks(links, 2, []), []);
});

readModel.run();
