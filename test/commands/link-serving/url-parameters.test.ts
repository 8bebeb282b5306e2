import { suite } from "uvu";
import * as assert from "uvu/assert";
import { urlParameters } from "../../../commands/link-serving/url-parameters.ts";

const parameters = suite("the parameters of a link's URL");
const none = { campaignParams: {}, publisher: {}, routing: null, person: {}, os: null };

parameters("name the campaign, the publisher, the person and another destination", () => {
  const query = {
    ...{ campaign: "summer", ad_group: "hats", sub_id_1: "a", term_id: "7" },
    ...{ sub_publisher: "site", sub_sub_publisher_3: "banner" },
    ...{ click_id: "partner-1", gaid: "ABCDEF01-2345-6789-ABCD-EF0123456789", device_id: "phone" },
    ...{ ip: "::FFFF:203.0.113.9", user_agent: "Mozilla/5.0", os: "android" },
    ...{ idfa: "ABCDEF01-2345-6789-ABCD-EF012345678A", idfv: "ABCDEF01-2345-6789-ABCD-EF012345678B" },
    ...{ deeplink_url: "shop://a", fallback_ios: "https://shop.example/ios" },
    ...{ fallback_android: "https://shop.example/android", fallback_desktop: "https://shop.example/desktop" },
  };
  assert.equal(urlParameters(query), {
    campaignParams: { campaign: "summer", adGroup: "hats", subId1: "a", termId: "7" },
    publisher: { subPublisher: "site", subSubPublisher3: "banner" },
    routing: {
      deeplinkUrl: "shop://a",
      ios: "https://shop.example/ios",
      android: "https://shop.example/android",
      desktop: "https://shop.example/desktop",
    },
    person: {
      gaid: "abcdef01-2345-6789-abcd-ef0123456789",
      idfa: "abcdef01-2345-6789-abcd-ef012345678a",
      idfv: "abcdef01-2345-6789-abcd-ef012345678b",
      deviceId: "phone",
      partnerClickId: "partner-1",
      ip: "203.0.113.9",
      userAgent: "Mozilla/5.0",
    },
    os: "Android",
  });
});

parameters("are empty when there are none", () => {
  assert.equal([urlParameters(null), urlParameters({})], [none, none]);
});

const ignored: readonly (readonly [string, { readonly [name: string]: unknown }])[] = [
  ["empty", { campaign: "", gaid: "", os: "", deeplink_url: "" }],
  ["too long", { campaign: "a".repeat(257), gaid: "a".repeat(129), deeplink_url: `shop://${"a".repeat(2_048)}` }],
  ["too long either", { device_id: "a".repeat(129), click_id: "a".repeat(257), user_agent: "a".repeat(1_025) }],
  ["not storable", { campaign: "a\0", device_id: "\ud800" }],
  ["zeros, from those who do not want to be tracked", { idfa: "00000000-0000-0000-0000-000000000000" }],
  ["no addresses", { ip: "{ip}" }],
  ["no addresses either", { ip: "999.1.1.1" }],
  ["unknown systems", { os: "constructor" }],
  ["unknown", { utm_source: "x", __proto__x: "y" }],
];
for (const [what, query] of ignored) {
  parameters(`are ignored when they are ${what}`, () => {
    assert.equal(urlParameters(query), none);
  });
}

parameters("have an address of the person", () => {
  const stored = (ip: string): string | undefined => urlParameters({ ip }).person.ip;
  for (const address of ["203.0.113.9", "::", "2001:db8::1", "1:2:3:4:5:6:7:8"]) {
    assert.is(stored(address), address);
  }
  assert.is(stored("203.000.113.009"), "203.0.113.9");
  assert.is(stored("2001:DB8:0:0::1"), "2001:db8::1");
  assert.is(stored("::ffff:203.0.113.9"), "203.0.113.9");
  const malformed = ["203.0.113", "203.0.113.256", "203.0.113.9.1", "203.0.113.9:80", "0xcb.0.113.9", " 203.0.113.9"];
  for (const text of [...malformed, ":", "1:2:3", "1::2::3", "2001:db8::g", "[::1]", "fe80::1%eth0", "::1/64"]) {
    assert.is(stored(text), undefined);
  }
});

parameters("are their last value when given twice", () => {
  assert.equal(urlParameters({ campaign: ["first", "second"] }).campaignParams, { campaign: "second" });
  assert.equal(urlParameters({ campaign: ["first", ""] }).campaignParams, {});
});

parameters.run();
