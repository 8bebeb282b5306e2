import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linkAddresses, matchesChannelSegment } from "../../../domain/tracking-links/link-addresses.ts";
import { campaignFields, campaignKeys, campaignParamsOf } from "../../../domain/values/campaign-params.ts";
import { aLink } from "../../examples/tracking-links.ts";

const urls = suite("the URLs of a link");
const base = "https://go.example/l";

urls("name app, channel, template, short id and campaign", () => {
  const link = { ...aLink().data, appName: "shop", channel: "부산 & co" };
  const path = "@shop/%EB%B6%80%EC%82%B0%20%26%20co";
  const named = `tracking_template_id=${link.templateId}&routing_short_id=spring-sale`;
  assert.equal(linkAddresses(base, link), {
    click: `${base}/${path}?${named}&ad_type=click&campaign=spring&ad_group=shoes`,
    impression: `${base}/${path}?${named}&ad_type=view&campaign=spring&ad_group=shoes`,
    serverToServerClick: `${base}/s2s/${path}?${named}&ad_type=click&campaign=spring&ad_group=shoes`,
    shortUrl: `${base}/spring-sale`,
  });
});

urls("can be read back, whatever channel and campaign are called", () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
  const anyCampaign = fc.dictionary(fc.constantFrom(...campaignKeys), text);
  fc.assert(
    fc.property(fc.oneof(text, fc.constantFrom(".", "..", "a/b", "%2E")), anyCampaign, (channel, campaign) => {
      const campaignParams = campaignParamsOf(campaign);
      const { click } = linkAddresses(base, { ...aLink().data, appName: "shop", channel, campaignParams });
      const { pathname, searchParams } = new URL(click);
      const [, , app, segment = "", ...more] = pathname.split("/");
      assert.equal([app, more], ["@shop", []]);
      assert.ok(matchesChannelSegment(decodeURIComponent(segment), channel), click);
      for (const key of campaignKeys)
        assert.is(searchParams.get(key) ?? undefined, campaignParams[campaignFields[key]]);
    }),
  );
});

urls.run();
