import * as assert from "uvu/assert";
import { type LinkApplication, linkSuite } from "../../support/link-application.ts";
import { refusalOf } from "../../support/short-faults.ts";
import { change, create } from "../../support/visitor.ts";

type Change = { readonly [field: string]: unknown };

async function history(
  { call }: LinkApplication,
  id: string | number,
  { query = "", token = "owner" }: { query?: string; token?: string } = {},
) {
  const answer = await call("GET", `/v1/tracking-links/${id}/history${query}`, { token });
  const { data } = answer.json as { data?: { totalCount: number; changes: readonly Change[] } };
  return { ...answer, totalCount: data?.totalCount, changes: data?.changes ?? [] };
}

const histories = linkSuite("GET /v1/tracking-links/{id}/history");

const noOption = { iosCustomProductPageId: null, androidCustomStoreListing: null };
const noFallbacks = { ios: null, android: null, desktop: null, option: noOption };
const noTag = { title: null, description: null, imageUrl: null };
const tag = { title: "Spring", description: "Sale", imageUrl: "https://shop.example/a.png" };

histories("have every change with what was before and after it, newest first", async ({ application }) => {
  const { id } = await create(application, { campaignParams: { campaign: "a" }, deeplinkUrl: "shop://a" }, "owner");
  const positions = [];
  for (const [what, body] of [
    ["routing", { deeplinkUrl: "shop://b" }],
    ["", { campaignParams: { campaign: "b", term: "t" } }],
    ["archive", undefined],
    ["og-tag", tag],
    ["routing", { fallbackPaths: { desktop: "https://shop.example/c" } }],
    ["restore", undefined],
    ["", { campaignParams: { campaign: null } }],
  ] as const) {
    const { headers } = await change(application, what, id, body === undefined ? {} : { body });
    positions.push(headers["x-log-position"]);
  }
  const { status, totalCount, changes } = await history(application, id);
  const withDesktop = { ...noFallbacks, desktop: "https://shop.example/c" };
  const created = {
    ...{ channel: "partner", channelType: "custom", campaignParams: { campaign: "a" }, isReengagement: "OFF" },
    ...{ deeplinkUrl: "shop://a", fallbackPaths: noFallbacks, ogTag: noTag },
  };
  assert.equal([status, totalCount], [200, 8]);
  assert.equal(
    changes.map(({ type, before, after }) => [type, before, after]),
    [
      ["CampaignParamsChanged", { campaignParams: { campaign: "b", term: "t" } }, { campaignParams: { term: "t" } }],
      ["TrackingLinkRestored", { isArchived: true }, { isArchived: false }],
      [
        "RoutingChanged",
        { deeplinkUrl: "shop://b", fallbackPaths: noFallbacks },
        { deeplinkUrl: "shop://b", fallbackPaths: withDesktop },
      ],
      ["OgTagChanged", { ogTag: noTag }, { ogTag: tag }],
      ["TrackingLinkArchived", { isArchived: false }, { isArchived: true }],
      [
        "CampaignParamsChanged",
        { campaignParams: { campaign: "a" } },
        { campaignParams: { campaign: "b", term: "t" } },
      ],
      [
        "RoutingChanged",
        { deeplinkUrl: "shop://a", fallbackPaths: noFallbacks },
        { deeplinkUrl: "shop://b", fallbackPaths: noFallbacks },
      ],
      ["TrackingLinkCreated", null, created],
    ],
  );
  assert.equal(changes.map(({ position }) => position).slice(0, -1), positions.reverse());
});

histories("name actor, time and request of each change", async ({ application }) => {
  const { id } = await create(application, {}, "link");
  const { headers } = await change(application, "archive", id);
  const { changes } = await history(application, id);
  const owner = { kind: "token", tokenId: "id-of-owner", role: "owner", label: "site" };
  const link = { kind: "token", tokenId: "id-of-link", role: "link", label: null };
  assert.equal([changes[0]?.actor, changes[1]?.actor], [owner, link]);
  assert.is(changes[0]?.requestId, headers["x-request-id"]);
  assert.ok(Math.abs(Date.parse(String(changes[0]?.time)) - Date.now()) < 60_000);
});

histories("are paged, and know links by each idType", async ({ application }) => {
  const { id, shortId, trackingTemplateID } = await create(application, {});
  await change(application, "archive", id);
  await change(application, "restore", id);
  const page = async (name: string | number, query: string) => {
    const { totalCount, changes } = await history(application, name, { query });
    return [totalCount, ...changes.map(({ type }) => type)];
  };
  assert.equal(await page(shortId, "?idType=shortId&size=1"), [3, "TrackingLinkRestored"]);
  assert.equal(await page(id, "?skip=1&size=2"), [3, "TrackingLinkArchived", "TrackingLinkCreated"]);
  assert.equal(await page(trackingTemplateID, "?idType=trackingTemplateId&skip=3"), [3]);
});

histories("are 404 for a link that is unknown or of another app", async ({ application }) => {
  const { id, shortId } = await create(application, {});
  const answers = [
    await history(application, 7),
    await history(application, shortId),
    await history(application, id, { token: "other_owner" }),
  ];
  assert.equal(answers.map(refusalOf), Array(3).fill("404 TRACKING_LINK_NOT_FOUND"));
});

for (const [query, field] of [
  ["size=0", "size"],
  ["size=501", "size"],
  ["skip=-1", "skip"],
  ["idType=name", "idType"],
] as const) {
  histories(`refuse ?${query}`, async ({ application }) => {
    const { id } = await create(application, {});
    assert.is(
      refusalOf(await history(application, id, { query: `?${query}` })),
      `400 VALIDATION_FAILED query.${field}`,
    );
  });
}

histories.run();
