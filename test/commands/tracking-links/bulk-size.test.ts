import * as assert from "uvu/assert";
import { linkSuite } from "../../support/link-application.ts";

const path = "/v1/tracking-links/bulk";
const limit = 13 * 1024 * 1024;

const shoe = "\u{1f45f}";
const shoes = shoe.repeat(256);
/** 2,048 units, of three bytes each except for the host. */
const address = "https://shop.example/".padEnd(2_048, "\ud55c");
const shortIds = Array.from({ length: 100 }, (_, index) => `${index}-`.padEnd(64, "x"));

/** A link of maximum size. */
const largestLink = (customShortId: string) => ({
  channel: shoes,
  campaignParams: {
    ...{ campaign: shoes, ad_group: shoes, ad_creative: shoes, content: shoes, term: shoes },
    ...{ sub_id: shoes, sub_id_1: shoes, sub_id_2: shoes, sub_id_3: shoes },
    ...{ campaign_id: shoes, ad_group_id: shoes, ad_creative_id: shoes, term_id: shoes },
  },
  isReengagement: "ON-FALSE",
  deeplinkUrl: address,
  fallbackPaths: {
    ...{ ios: address, android: address, desktop: address },
    option: { iosCustomProductPageId: shoes, androidCustomStoreListing: shoes },
  },
  ogTag: { title: shoes, description: shoe.repeat(1_024), imageUrl: address },
  customShortId,
});

/** JSON with all characters beyond ASCII escaped. */
function escapedJson(value: unknown): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, escaped);
}

const size = linkSuite("the size of a bulk request");

size(
  "fits 100 links of maximum size with every character escaped, which are stored unchanged",
  async ({ application: { call } }) => {
    const body = escapedJson({ links: shortIds.map(largestLink) });
    assert.ok(body.length > limit - 1024 * 1024 && body.length <= limit);
    const { status, json } = await call("POST", path, { token: "owner", body });
    const { links } = (json as { data: { links: readonly { status: number }[] } }).data;
    assert.equal([status, links.map((link) => link.status)], [200, shortIds.map(() => 200)]);

    for (const shortId of shortIds) {
      const detail = await call("GET", `/v1/tracking-links/${shortId}?idType=shortId`, { token: "owner" });
      const { channelName, deeplinkUrl, fallbackPaths, ogTag, campaignParams } = (
        detail.json as { data: { readonly [field: string]: unknown } }
      ).data;
      const largest = largestLink(shortId);
      assert.equal(
        { channelName, deeplinkUrl, fallbackPaths, ogTag, campaignParams },
        {
          channelName: largest.channel,
          deeplinkUrl: largest.deeplinkUrl,
          fallbackPaths: largest.fallbackPaths,
          ogTag: largest.ogTag,
          campaignParams: {
            ...{ term: shoes, subId: shoes, subId1: shoes, subId2: shoes, subId3: shoes },
            ...{ adGroup: shoes, content: shoes, campaign: shoes, adCreative: shoes },
          },
        },
      );
    }
  },
);

for (const [what, links, expected] of [
  // The body, its list, and one member for each item after the first.
  ["49,999 members", "1,".repeat(49_997), [422, "VALIDATION_FAILED"]],
  ["50,000 members", "1,".repeat(49_998), [422, "VALIDATION_FAILED"]],
  ["50,001 members", "1,".repeat(49_999), [413, "PAYLOAD_TOO_LARGE"]],
] as const) {
  size(`of ${what} is ${expected[0]}`, async ({ application: { call } }) => {
    const { status, json } = await call("POST", path, { token: "owner", body: `{"links":[${links}1]}` });
    assert.equal([status, (json as { code?: string }).code], expected);
  });
}

size.run();
