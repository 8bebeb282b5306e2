import * as assert from "uvu/assert";
import { campaignFields, campaignKeys } from "../../../domain/values/campaign-params.ts";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { create, open } from "../../support/visitor.ts";

const clicks = linkSuite("a click, by the parameters of its URL");

clicks("has parameters that override the link for this click only", async ({ application }) => {
  const { link } = await create(application, {
    campaignParams: { campaign: "spring", term: "a" },
    deeplinkUrl: "https://shop.example/a",
  });
  const url = `${link.click.replace("campaign=spring", "campaign=summer")}&sub_publisher=site&click_id=p1&device_id=phone&os=Android&deeplink_url=`;
  const { headers } = await open(application, `${url}${encodeURIComponent("https://news.example/b?c=1")}`);
  const recorded = await application.lastTouchpoint();
  assert.match(headers.location ?? "", /^https:\/\/news\.example\/b\?c=1&tl_click_id=/);
  assert.equal(recorded.data.source.campaignParams, { campaign: "summer", term: "a" });
  assert.equal(recorded.data.source.publisher, { subPublisher: "site" });
  assert.match(recorded.data.deviceKey ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
  assert.equal([recorded.data.os, recorded.data.osVersion], ["Android", null]);
  assert.equal(recorded.data.person, {
    ip: "127.0.0.1",
    userAgent: userAgents.iphone,
    deviceId: "phone",
    partnerClickId: "p1",
  });
  const stranger = await open(application, `${url}${encodeURIComponent("https://evil.example/")}`);
  assert.match(stranger.headers.location ?? "", /^https:\/\/shop\.example\/a\?tl_click_id=/);
});

clicks("has each campaign parameter and publisher of its URL under its own name", async ({ application }) => {
  const { link } = await create(application, {});
  const parameters = new URLSearchParams({
    campaign: "spring",
    campaign_id: "c-1",
    ad_group: "newcomers",
    ad_group_id: "g-1",
    ad_creative: "video",
    ad_creative_id: "v-1",
    content: "banner",
    term: "shoes",
    term_id: "t-1",
    sub_id: "s",
    sub_id_1: "s-1",
    sub_id_2: "s-2",
    sub_id_3: "s-3",
    sub_publisher: "times",
    sub_sub_publisher_1: "sports",
    sub_sub_publisher_2: "football",
    sub_sub_publisher_3: "article",
  });
  await open(application, `${link.click}&${parameters}`);
  const { source } = (await application.lastTouchpoint()).data;
  assert.equal(source.campaignParams, {
    campaign: "spring",
    campaignId: "c-1",
    adGroup: "newcomers",
    adGroupId: "g-1",
    adCreative: "video",
    adCreativeId: "v-1",
    content: "banner",
    term: "shoes",
    termId: "t-1",
    subId: "s",
    subId1: "s-1",
    subId2: "s-2",
    subId3: "s-3",
  });
  assert.equal(source.publisher, {
    subPublisher: "times",
    subSubPublisher1: "sports",
    subSubPublisher2: "football",
    subSubPublisher3: "article",
  });
});

clicks(
  "is recorded for the person in its URL, and redirected by the visitor's own platform",
  async ({ application }) => {
    const { link } = await create(application, {});
    const ids = { idfa: "ABCDEF01-2345-6789-ABCD-EF0123456789", idfv: "0A0B0C0D-2345-6789-ABCD-EF0123456789" };
    const described = new URLSearchParams({ ip: "203.0.113.9", user_agent: userAgents.android, ...ids });
    const { headers } = await open(application, `${link.click}&${described}`);
    const recorded = await application.lastTouchpoint();
    assert.match(headers.location ?? "", /^https:\/\/apps\.apple\.com\/app\/id123456789\?tl_click_id=/);
    assert.equal(
      [recorded.data.os, recorded.data.osVersion, recorded.data.person],
      [
        "Android",
        "15",
        {
          ip: "203.0.113.9",
          userAgent: userAgents.android,
          idfa: "abcdef01-2345-6789-abcd-ef0123456789",
          idfv: "0a0b0c0d-2345-6789-abcd-ef0123456789",
        },
      ],
    );
  },
);

clicks("goes to the fallback that its URL names for the visitor's platform", async ({ application }) => {
  const { link } = await create(application, {});
  const fallbacks = new URLSearchParams({
    fallback_ios: "https://news.example/ios",
    fallback_android: "https://news.example/android",
    fallback_desktop: "https://news.example/desktop",
  });
  for (const [platform, userAgent] of [
    ["ios", userAgents.iphone],
    ["android", userAgents.android],
    ["desktop", userAgents.desktop],
  ] as const) {
    const { headers } = await open(application, `${link.click}&${fallbacks}`, userAgent);
    const recorded = await application.lastTouchpoint();
    assert.is(headers.location, `https://news.example/${platform}?tl_click_id=${recorded.data.touchpointId}`);
  }
});

clicks("or an impression, by the last `ad_type`", async ({ application }) => {
  const { link } = await create(application, {});
  const before = (await application.touchpoints()).length;
  const answers = [
    await open(application, `${link.impression}&ad_type=view`),
    await open(application, `${link.impression}&ad_type=click`),
    await open(application, `${link.click}&ad_type=view`),
  ];
  assert.equal(statusesOf(answers), [200, 302, 200]);
  assert.equal(
    (await application.touchpoints()).slice(before).map(({ type }) => type),
    ["ImpressionRecorded", "ClickRecorded", "ImpressionRecorded"],
  );
});

clicks("is of the link that the last `tracking_template_id` and `routing_short_id` name", async ({ application }) => {
  const [other, meant] = [await create(application, {}), await create(application, {})];
  const path = `${application.baseUrl}/l/@shop/partner`;
  const templates = `tracking_template_id=${other.trackingTemplateID}&tracking_template_id=${meant.trackingTemplateID}`;
  const shortIds = `routing_short_id=${other.shortId}&routing_short_id=${meant.shortId}`;
  for (const names of [
    templates,
    shortIds,
    `${templates}&${shortIds}`,
    `${templates}&tracking_template_id=&${shortIds}`,
  ]) {
    const { status } = await open(application, `${path}?${names}`);
    const recorded = await application.lastTouchpoint();
    assert.equal([status, recorded.data.source.trackingLinkId], [302, meant.id], names);
  }
});

const longest = linkSuite("the longest URLs of a link");

/** As many bytes in a URL as 256 characters can have. */
const shoes = "\u{1f45f}".repeat(256);
const campaignParams = Object.fromEntries(campaignKeys.map((key) => [key, shoes]));
const recordedParams = Object.fromEntries(campaignKeys.map((key) => [campaignFields[key], shoes]));

longest("are answered and recorded whole", async ({ application }) => {
  const { link } = await create(application, { campaignParams });
  const statuses = [];
  for (const url of [link.click, link.impression, link.serverToServerClick]) {
    assert.ok(url.length > campaignKeys.length * encodeURIComponent(shoes).length, `${url.length} characters`);
    statuses.push((await open(application, url)).status);
  }
  assert.equal(statuses, [302, 200, 200]);
  assert.equal(
    (await application.touchpoints()).map(({ data }) => [data.origin, data.source.campaignParams]),
    [
      ["redirect", recordedParams],
      ["view", recordedParams],
      ["server_to_server", recordedParams],
    ],
  );
});

const many = linkSuite("a link's URL with very many parameters");

/** The address with so many parameters before its own that it has `count` of them. */
function ofParameters(count: number, address: string): string {
  const [path = "", own = ""] = address.split("?");
  return `${path}?${"a&".repeat(count - own.split("&").length)}${own}`;
}

/** Node's parser reads 1,000 parameters by default; 30,000 fill the 64 KiB that headers may have. */
const counts = [999, 1_000, 1_001, 30_000];

for (const count of counts) {
  many(`is read to its end: ${count}`, async ({ application }) => {
    const { link, shortUrl } = await create(application, {});
    const { search, pathname } = new URL(link.click);
    const named = new URLSearchParams(search);
    const byShortId = `${application.baseUrl}${pathname}?routing_short_id=${named.get("routing_short_id")}`;
    const clicks = [link.click, byShortId, `${shortUrl}?ad_type=click`];
    const statuses = [];
    for (const address of clicks) {
      statuses.push((await open(application, ofParameters(count, `${address}&sub_id=last`))).status);
    }
    statuses.push((await open(application, ofParameters(count, link.impression))).status);
    assert.equal(statuses, [302, 302, 302, 200]);
    assert.equal(
      (await application.touchpoints()).slice(-4).map(({ type, data }) => [type, data.source.campaignParams]),
      [...Array(3).fill(["ClickRecorded", { subId: "last" }]), ["ImpressionRecorded", {}]],
    );
  });

  many(`is the same click when a server reports it again: ${count}`, async ({ application }) => {
    const { link } = await create(application, {});
    const address = ofParameters(count, `${link.serverToServerClick}&click_id=of-${count}`);
    const answers = [await open(application, address), await open(application, address)];
    const [{ clickId } = { clickId: "" }] = answers.map(({ json }) => json as { readonly clickId: string });
    assert.match(clickId, /^[0-9a-f-]{14}8/);
    assert.equal(
      answers.map(({ status, json }) => [status, json]),
      Array(2).fill([200, { clickId }]),
    );
    const recorded = await application.lastTouchpoint();
    assert.is(recorded.data.person.partnerClickId, `of-${count}`);
  });
}

clicks.run();
longest.run();
many.run();
