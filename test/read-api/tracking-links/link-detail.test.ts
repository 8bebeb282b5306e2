import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { zonedTimestamp } from "../../../domain/values/local-time.ts";
import { type LinkApplication, linkSuite } from "../../support/link-application.ts";
import { create, type Links, open } from "../../support/visitor.ts";

const detail = linkSuite("GET /v1/tracking-links/{id}");

const nothing = {
  ...{ term: null, subId: null, subId1: null, subId2: null, subId3: null },
  ...{ adGroup: null, content: null, campaign: null, adCreative: null },
};

async function read(
  { call }: LinkApplication,
  id: string | number,
  more: { query?: string; body?: unknown; token?: string } = {},
) {
  const { query = "", body, token = "owner" } = more;
  const answer = await call("GET", `/v1/tracking-links/${id}${query}`, {
    token,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer, data: (answer.json as { data: { readonly [field: string]: unknown } }).data };
}

detail("answers everything about a link straight after its creation", async ({ application }) => {
  const created = await create(application, {
    channel: "appier",
    customShortId: "detailed",
    campaignParams: { campaign: "spring", sub_id_3: "x", campaign_id: "7" },
    isReengagement: "ON-TRUE",
    deeplinkUrl: "shop://sale",
    fallbackPaths: { ios: "https://ios.example/", option: { iosCustomProductPageId: "page" } },
    ogTag: { title: "Title", description: "Text", imageUrl: "https://shop.example/a.png" },
  });
  const { status, data } = await read(application, created.id);
  const { createdAt, ...rest } = data;
  assert.is(status, 200);
  assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/);
  assert.ok(Math.abs(Date.parse(String(createdAt)) - Date.now()) < 60_000);
  assert.equal(rest, {
    link: created.link,
    email: "owner@shop.example",
    company: null,
    archivedAt: null,
    ogTag: { title: "Title", imageUrl: "https://shop.example/a.png", description: "Text" },
    shortId: "detailed",
    shortUrl: created.shortUrl,
    channelName: "appier",
    channelType: "integrated",
    deeplinkUrl: "shop://sale",
    fallbackPaths: {
      ios: "https://ios.example/",
      android: "google-play",
      desktop: "https://shop.example/",
      option: { iosCustomProductPageId: "page", androidCustomStoreListing: null },
    },
    campaignParams: { ...nothing, campaign: "spring", subId3: "x" },
    isReengagement: true,
  });
});

detail("is re-engagement for ON-TRUE alone", async ({ application }) => {
  const flags = [];
  for (const isReengagement of ["OFF", "ON-FALSE", "ON-TRUE"]) {
    const { id } = await create(application, { isReengagement });
    flags.push((await read(application, id)).data.isReengagement);
  }
  assert.equal(flags, [false, false, true]);
});

detail("takes each idType, in the query before the body", async ({ application }) => {
  const { id, shortId, trackingTemplateID } = await create(application, {});
  const answers = [
    await read(application, id),
    await read(application, id, { query: "?idType=id", body: { idType: "shortId" } }),
    await read(application, shortId, { body: { idType: "shortId" } }),
    await read(application, shortId, { query: "?idType=shortId" }),
    await read(application, trackingTemplateID, { query: "?idType=trackingTemplateId&other=1" }),
  ];
  assert.equal(
    answers.map(({ status, data }) => [status, data?.shortId]),
    Array(5).fill([200, shortId]),
  );
});

detail("is 400 for what is missing, another's, or badly named", async ({ application }) => {
  const { id, shortId, trackingTemplateID } = await create(application, {});
  const answers = [
    await read(application, 7),
    await read(application, "seven"),
    await read(application, id, { token: "other_owner" }),
    await read(application, shortId.toUpperCase(), { query: "?idType=shortId" }),
    await read(application, trackingTemplateID.replace(/.$/, "z"), { query: "?idType=trackingTemplateId" }),
    await read(application, `${trackingTemplateID.slice(0, 14)}${"0".repeat(18)}`, {
      query: "?idType=trackingTemplateId",
    }),
    await read(application, id, { query: "?idType=name" }),
    await read(application, id, { body: { idType: "name" } }),
    await read(application, id, { body: { other: 1 } }),
    await read(application, "%00"),
  ];
  const missing = [400, "TRACKING_LINK_NOT_FOUND"];
  const faulty = [400, "VALIDATION_FAILED"];
  assert.equal(
    answers.map(({ status, json }) => [status, (json as { code: string }).code]),
    [...Array(6).fill(missing), ...Array(4).fill(faulty)],
  );
});

detail("has what was created, as recorded clicks have", async ({ application }) => {
  const text = fc
    .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
    .filter((value) => !/[\0\p{Cs}]/u.test(value));
  const campaignKeys = { campaign: text, ad_group: text, ad_creative: text, content: text, term: text, sub_id: text };
  const request = fc.record(
    {
      channel: fc.oneof(
        text.filter((name) => /^[^\p{Cc}\s](.*[^\p{Cc}\s])?$/u.test(name)),
        fc.constantFrom("..", "a/b"),
      ),
      campaignParams: fc.record(campaignKeys, { requiredKeys: [] }),
      isReengagement: fc.constantFrom("OFF", "ON-TRUE", "ON-FALSE"),
      deeplinkUrl: fc.option(fc.webUrl({ withQueryParameters: true, withFragments: true })),
      fallbackPaths: fc.record({ ios: fc.webUrl(), android: fc.constant("google-play"), desktop: fc.webUrl() }),
    },
    { requiredKeys: ["channel", "fallbackPaths"] },
  );
  await fc.assert(
    fc.asyncProperty(request, async (requested) => {
      const created: Links = await create(application, requested);
      const { data } = await read(application, created.id);
      const { campaign, ad_group, ad_creative, ...others } = requested.campaignParams ?? {};
      const renamed = { campaign, adGroup: ad_group, adCreative: ad_creative, subId: others.sub_id };
      const campaignParams = { ...renamed, content: others.content, term: others.term };
      const set = Object.fromEntries(Object.entries(campaignParams).filter(([, value]) => value !== undefined));
      assert.equal(data.campaignParams, { ...nothing, ...set });
      assert.equal([data.channelName, data.deeplinkUrl], [requested.channel, requested.deeplinkUrl ?? null]);
      assert.equal(data.fallbackPaths, {
        ...requested.fallbackPaths,
        option: { iosCustomProductPageId: null, androidCustomStoreListing: null },
      });
      assert.is(data.isReengagement, requested.isReengagement === "ON-TRUE");

      const { status, headers } = await open(application, created.link.click);
      assert.equal(
        [status, new URL(String(headers.location)).host],
        [302, new URL(requested.deeplinkUrl ?? requested.fallbackPaths.ios).host],
      );
      const [recorded] = (await application.touchpoints()).slice(-1);
      assert.equal(recorded?.data.source, {
        channel: requested.channel,
        channelType: "custom",
        trackingLinkId: created.id,
        isReengagement: requested.isReengagement ?? "OFF",
        campaignParams: set,
        publisher: {},
      });
    }),
    {
      numRuns: 40,
      examples: [
        [
          {
            channel: "..",
            fallbackPaths: { ios: "https://a.example", android: "google-play", desktop: "https://b.example" },
          },
        ],
      ],
    },
  );
});

const times = suite("an instant in a zone");

times("carries the zone's offset", () => {
  const noon = Date.parse("2026-03-01T12:00:00.000Z");
  assert.equal(
    ["UTC", "Asia/Seoul", "America/New_York", "Asia/Kolkata", "America/St_Johns"].map((zone) =>
      zonedTimestamp(zone, noon),
    ),
    [
      "2026-03-01T12:00:00.000+00:00",
      "2026-03-01T21:00:00.000+09:00",
      "2026-03-01T07:00:00.000-05:00",
      "2026-03-01T17:30:00.000+05:30",
      "2026-03-01T08:30:00.000-03:30",
    ],
  );
});

detail.run();
times.run();
