import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fold, isRejection } from "../../../domain/decider.ts";
import type { TrackingLinkEvent } from "../../../domain/tracking-links/events.ts";
import type { LinkRequest } from "../../../domain/tracking-links/link-request.ts";
import { type CreateTrackingLink, trackingLink } from "../../../domain/tracking-links/tracking-link.ts";
import { aLink, noFallbacks } from "../../examples/tracking-links.ts";

const { linkId, appId, shortId, templateId } = aLink().data;

function creation(request: Partial<LinkRequest> = {}): CreateTrackingLink {
  return {
    type: "CreateTrackingLink",
    ...{ linkId, appId, shortId, templateId },
    channelType: "custom",
    request: { channel: "partner", ...request },
  };
}

function decide(history: readonly TrackingLinkEvent[], command: CreateTrackingLink) {
  return trackingLink.decide(command, fold(trackingLink, history));
}

const absent = suite("a link that does not exist");

absent("is created with everything that was asked for", () => {
  const request: LinkRequest = {
    channel: "partner",
    campaignParams: { campaign: "spring", ad_group: "shoes", sub_id_1: "a" },
    isReengagement: "ON-TRUE",
    deeplinkUrl: "shop://sale/spring",
    fallbackPaths: {
      ios: "itunes-appstore",
      android: "google-play",
      desktop: "https://shop.example/sale",
      option: { iosCustomProductPageId: "page", androidCustomStoreListing: "listing" },
    },
    ogTag: { title: "Spring", description: "Sale", imageUrl: "https://shop.example/spring.png" },
  };
  assert.equal(decide([], creation(request)), [
    aLink({
      campaignParams: { campaign: "spring", adGroup: "shoes", subId1: "a" },
      isReengagement: "ON-TRUE",
      deeplinkUrl: "shop://sale/spring",
      fallbackPaths: {
        ios: "itunes-appstore",
        android: "google-play",
        desktop: "https://shop.example/sale",
        option: { iosCustomProductPageId: "page", androidCustomStoreListing: "listing" },
      },
      ogTag: { title: "Spring", description: "Sale", imageUrl: "https://shop.example/spring.png" },
    }),
  ]);
});

absent("is created with A's defaults for everything that was not", () => {
  assert.equal(decide([], creation()), [aLink({ campaignParams: {}, deeplinkUrl: null })]);
  assert.equal(decide([], creation({ deeplinkUrl: null, fallbackPaths: { ios: null, option: {} }, ogTag: {} })), [
    aLink({ campaignParams: {}, deeplinkUrl: null }),
  ]);
});

const refusals: readonly (readonly [string, Partial<LinkRequest>, readonly string[]])[] = [
  ["a deeplink", { deeplinkUrl: "javascript:alert(1)" }, ["deeplinkUrl"]],
  ["an iOS fallback", { fallbackPaths: { ios: "google-play" } }, ["fallbackPaths", "ios"]],
  ["an Android fallback", { fallbackPaths: { android: "shop://sale" } }, ["fallbackPaths", "android"]],
  ["a desktop fallback", { fallbackPaths: { desktop: "//evil.example" } }, ["fallbackPaths", "desktop"]],
  ["an image", { ogTag: { imageUrl: "data:image/png;base64," } }, ["ogTag", "imageUrl"]],
];
for (const [what, request, field] of refusals) {
  absent(`is refused with ${what} that leads nowhere good`, () => {
    const decision = decide([], creation(request));
    assert.ok(isRejection(decision));
    assert.is(decision.rejected, "LINK_INVALID");
    assert.equal(decision.field, ["body", ...field]);
  });
}

const live = suite("a link that exists");

live("keeps its short id for ever, also before the same request", () => {
  const taken = { rejected: "SHORT_ID_TAKEN", field: ["body", "customShortId"] };
  assert.equal(decide([aLink()], creation()), taken);
  assert.equal(decide([aLink({ appId: 2 })], creation({ deeplinkUrl: "shop://other" })), taken);
});

live("has the routing and preview that were last set", () => {
  const routed = { deeplinkUrl: null, fallbackPaths: { ...noFallbacks, ios: "https://ios.example/" } };
  const ogTag = { title: "New", description: "Text", imageUrl: "https://shop.example/new.png" };
  const history: TrackingLinkEvent[] = [
    aLink(),
    { type: "RoutingChanged", data: { linkId, ...routed } },
    { type: "OgTagChanged", data: { linkId, ogTag } },
  ];
  assert.equal(fold(trackingLink, history), { stage: "live", link: aLink({ ...routed, ogTag }).data });
  assert.equal(fold(trackingLink, history.slice(1)), { stage: "absent" });
});

const twice = suite("deciding twice");

twice("is once, whatever was asked for", () => {
  const text = fc.option(fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom("itunes-appstore", "shop://a")));
  const anyRequest = fc.record(
    { deeplinkUrl: text, fallbackPaths: fc.record({ ios: text, android: text, desktop: text }, { requiredKeys: [] }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyRequest, (request) => {
      const first = decide([], creation(request));
      if (isRejection(first)) return;
      assert.is(first.length, 1);
      assert.ok(isRejection(decide(first, creation(request))));
    }),
  );
});

absent.run();
live.run();
twice.run();
