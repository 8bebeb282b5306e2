import { suite } from "uvu";
import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { type LinkHouse, startLinkHouse } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const clicks = suite<{ house: LinkHouse }>("a click, by what its URL says");

clicks.before(async (context) => {
  context.house = await startLinkHouse();
});
clicks.after(({ house }) => house.close());

clicks("says on its URL what counts for it alone", async ({ house }) => {
  const { link } = await create(house, {
    campaignParams: { campaign: "spring", term: "a" },
    deeplinkUrl: "https://shop.example/a",
  });
  const url = `${link.click.replace("campaign=spring", "campaign=summer")}&sub_publisher=site&click_id=p1&device_id=phone&os=Android&deeplink_url=`;
  const { headers } = await open(house, `${url}${encodeURIComponent("https://news.example/b?c=1")}`);
  const [recorded] = (await house.touchpoints()).slice(-1);
  assert.match(headers.location ?? "", /^https:\/\/news\.example\/b\?c=1&tl_click_id=/);
  assert.equal(recorded?.data.source.campaignParams, { campaign: "summer", term: "a" });
  assert.equal(recorded?.data.source.publisher, { subPublisher: "site" });
  assert.match(recorded?.data.deviceKey ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
  assert.equal([recorded?.data.os, recorded?.data.osVersion], ["Android", null]);
  assert.equal(recorded?.data.person, {
    ip: "127.0.0.1",
    userAgent: userAgents.iphone,
    deviceId: "phone",
    partnerClickId: "p1",
  });
  const stranger = await open(house, `${url}${encodeURIComponent("https://evil.example/")}`);
  assert.match(stranger.headers.location ?? "", /^https:\/\/shop\.example\/a\?tl_click_id=/);
});

clicks("is of the person whom its URL describes, and goes where the visitor's own platform goes", async ({ house }) => {
  const { link } = await create(house, {});
  const ids = { idfa: "ABCDEF01-2345-6789-ABCD-EF0123456789", idfv: "0A0B0C0D-2345-6789-ABCD-EF0123456789" };
  const described = new URLSearchParams({ ip: "203.0.113.9", user_agent: userAgents.android, ...ids });
  const { headers } = await open(house, `${link.click}&${described}`);
  const [recorded] = (await house.touchpoints()).slice(-1);
  assert.match(headers.location ?? "", /^https:\/\/apps\.apple\.com\/app\/id123456789\?tl_click_id=/);
  assert.equal(
    [recorded?.data.os, recorded?.data.osVersion, recorded?.data.person],
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
});

clicks("goes to the fallback that its URL names for the visitor's platform", async ({ house }) => {
  const { link } = await create(house, {});
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
    const { headers } = await open(house, `${link.click}&${fallbacks}`, userAgent);
    const [recorded] = (await house.touchpoints()).slice(-1);
    assert.is(headers.location, `https://news.example/${platform}?tl_click_id=${recorded?.data.touchpointId}`);
  }
});

clicks("or an impression is what the first `ad_type` says", async ({ house }) => {
  const { link } = await create(house, {});
  const before = (await house.touchpoints()).length;
  const answers = [
    await open(house, `${link.impression}&ad_type=view`),
    await open(house, `${link.impression}&ad_type=click`),
    await open(house, `${link.click}&ad_type=view`),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 302],
  );
  assert.equal(
    (await house.touchpoints()).slice(before).map(({ type }) => type),
    ["ImpressionRecorded", "ImpressionRecorded", "ClickRecorded"],
  );
});

clicks("is of the link that the first `tracking_template_id` and `routing_short_id` name", async ({ house }) => {
  const [meant, other] = [await create(house, {}), await create(house, {})];
  const path = `${house.baseUrl}/l/@shop/partner`;
  const templates = `tracking_template_id=${meant.trackingTemplateID}&tracking_template_id=${other.trackingTemplateID}`;
  const shortIds = `routing_short_id=${meant.shortId}&routing_short_id=${other.shortId}`;
  for (const names of [
    templates,
    shortIds,
    `${templates}&${shortIds}`,
    `tracking_template_id=&${templates}&${shortIds}`,
  ]) {
    const { status } = await open(house, `${path}?${names}`);
    const [recorded] = (await house.touchpoints()).slice(-1);
    assert.equal([status, recorded?.data.source.trackingLinkId], [302, meant.id], names);
  }
});

clicks("on what is no link is none when its first `ad_type` is a view", async ({ house }) => {
  const before = house.seen.unresolved;
  const unknown = `${house.baseUrl}/l/unknown`;
  await open(house, `${unknown}?ad_type=view&ad_type=view`);
  assert.is(house.seen.unresolved, before);
  await open(house, `${unknown}?ad_type=click&ad_type=view`);
  assert.is(house.seen.unresolved, before + 1);
});

clicks.run();
