import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isRejection, rejectField } from "../../../domain/decider.ts";
import type { FallbackPaths, Routing, TrackingLinkEvent } from "../../../domain/tracking-links/events.ts";
import type { CampaignParamsRequest, LinkRequest } from "../../../domain/tracking-links/link-request.ts";
import type { RoutingRequest } from "../../../domain/tracking-links/routing.ts";
import { storesOf } from "../../../domain/tracking-links/stores.ts";
import {
  type ChangeOgTag,
  type ChangeRouting,
  type CreateTrackingLink,
  type TrackingLinkCommand,
  trackingLink,
} from "../../../domain/tracking-links/tracking-link.ts";
import type { CampaignParams } from "../../../domain/values/campaign-params.ts";
import { shop } from "../../examples/app.ts";
import { aLink, noFallbacks } from "../../examples/tracking-links.ts";
import { addRules, assertDecidesOnce, fold, specification } from "../../support/decider-specification.ts";

const stores = storesOf(shop);
const { linkId, appId, shortId, templateId } = aLink().data;

function creation(request: Partial<LinkRequest> = {}): CreateTrackingLink {
  return {
    type: "CreateTrackingLink",
    ...{ linkId, appId, shortId, templateId },
    channelType: "custom",
    request: { channel: "partner", ...request },
    stores,
  };
}

const named = { appId, idType: "id", name: String(linkId) } as const;
const preview = { title: "Spring", description: "Sale", imageUrl: "https://shop.example/spring.png" };

function changeOgTag(changes: Partial<ChangeOgTag> = {}): ChangeOgTag {
  return { type: "ChangeOgTag", ...named, ogTag: preview, ...changes };
}

function changeRouting(request: RoutingRequest, changes: Partial<ChangeRouting> = {}): ChangeRouting {
  return { type: "ChangeRouting", ...named, request, stores, ...changes };
}

const { given } = specification(trackingLink);

function decide(history: readonly TrackingLinkEvent[], command: TrackingLinkCommand) {
  return trackingLink.decide(command, fold(trackingLink, history));
}

const absent = suite("a link that does not exist");

absent("is created with all requested fields", () => {
  const fallbackPaths = {
    ios: "itunes-appstore",
    android: "google-play",
    desktop: "https://shop.example/sale",
    option: { iosCustomProductPageId: "page", androidCustomStoreListing: "listing" },
  };
  const same = { isReengagement: "ON-TRUE", deeplinkUrl: "shop://sale/spring", fallbackPaths, ogTag: preview } as const;
  given()
    .when(creation({ campaignParams: { campaign: "spring", ad_group: "shoes", sub_id_1: "a" }, ...same }))
    .then([aLink({ campaignParams: { campaign: "spring", adGroup: "shoes", subId1: "a" }, ...same })]);
});

absent("is created with defaults for other fields", () => {
  given()
    .when(creation())
    .then([aLink({ campaignParams: {}, deeplinkUrl: null })]);
  given()
    .when(creation({ deeplinkUrl: null, fallbackPaths: { ios: null, option: {} }, ogTag: {} }))
    .then([aLink({ campaignParams: {}, deeplinkUrl: null })]);
});

const refusals: readonly (readonly [string, Partial<LinkRequest>, readonly string[]])[] = [
  ["a deeplink", { deeplinkUrl: "javascript:alert(1)" }, ["deeplinkUrl"]],
  ["an iOS fallback", { fallbackPaths: { ios: "google-play" } }, ["fallbackPaths", "ios"]],
  ["an Android fallback", { fallbackPaths: { android: "shop://sale" } }, ["fallbackPaths", "android"]],
  ["a desktop fallback", { fallbackPaths: { desktop: "//evil.example" } }, ["fallbackPaths", "desktop"]],
  ["an image", { ogTag: { imageUrl: "data:image/png;base64," } }, ["ogTag", "imageUrl"]],
];
for (const [what, request, field] of refusals) {
  absent(`rejects ${what} with an invalid destination`, () => {
    const decision = decide([], creation(request));
    assert.ok(isRejection(decision));
    assert.is(decision.rejected, "LINK_INVALID");
    assert.equal(decision.faults?.[0]?.path, ["body", ...field]);
  });
}

const live = suite("a link that exists");

live("rejects every other creation with its short id", () => {
  const taken = rejectField("SHORT_ID_TAKEN", ["body", "customShortId"]);
  given(aLink()).when(creation()).then(taken);
  given(aLink({ appId: 2 }))
    .when(creation({ deeplinkUrl: "shop://other" }))
    .then(taken);
});

live("has the routing and preview that were last set", () => {
  const changed = { deeplinkUrl: null, fallbackPaths: { ...noFallbacks, ios: "https://ios.example/" } };
  const ogTag = { title: "New", description: "Text", imageUrl: "https://shop.example/new.png" };
  const history: TrackingLinkEvent[] = [
    aLink(),
    { type: "RoutingChanged", data: { linkId, ...changed } },
    { type: "OgTagChanged", data: { linkId, ogTag } },
  ];
  const link = aLink({ ...changed, ogTag }).data;
  assert.equal(fold(trackingLink, history), { stage: "live", link, isArchived: false });
  assert.equal(fold(trackingLink, history.slice(1)), { stage: "absent" });
});

live("changes its preview", () => {
  given(aLink())
    .when(changeOgTag())
    .then([{ type: "OgTagChanged", data: { linkId, ogTag: preview } }]);
  const decision = decide([aLink()], changeOgTag({ ogTag: { ...preview, imageUrl: "javascript:alert(1)" } }));
  assert.equal(isRejection(decision) && [decision.rejected, decision.faults?.[0]?.path], [
    "LINK_INVALID",
    ["body", "imageUrl"],
  ]);
});

const routed = aLink({
  deeplinkUrl: "shop://sale",
  fallbackPaths: {
    ios: "https://ios.example/",
    android: "google-play",
    desktop: null,
    option: { iosCustomProductPageId: "page", androidCustomStoreListing: "listing" },
  },
});
const { deeplinkUrl, fallbackPaths } = routed.data;
const option = fallbackPaths.option;
const noOption = noFallbacks.option;
const desktop = "https://shop.example/";
/** The routing with other fallbacks. */
const withPaths = (paths: Partial<FallbackPaths>) => ({ deeplinkUrl, fallbackPaths: { ...fallbackPaths, ...paths } });
const optionsOfPaths = { option: { iosCustomProductPageId: "a", androidCustomStoreListing: "b" } };
const page = { iosCustomProductPageId: "c" };

const reroutings: readonly (readonly [string, RoutingRequest, Routing])[] = [
  ["a new deeplink", { deeplinkUrl: "shop://new" }, { deeplinkUrl: "shop://new", fallbackPaths }],
  ["no deeplink", { deeplinkUrl: null }, { deeplinkUrl: null, fallbackPaths }],
  ["fallbacks by key", { fallbackPaths: { ios: null, desktop } }, withPaths({ ios: null, desktop })],
  [
    "options by key",
    { fallbackPaths: { option: { iosCustomProductPageId: null } } },
    withPaths({ option: { ...option, iosCustomProductPageId: null } }),
  ],
  ["no option", { option: null }, withPaths({ option: noOption })],
  ["no option of the fallbacks", { fallbackPaths: { option: null } }, withPaths({ option: noOption })],
  ["no fallback", { fallbackPaths: null }, withPaths(noFallbacks)],
  [
    "options at the top without fallbacks",
    { fallbackPaths: null, option: page },
    withPaths({ ...noFallbacks, option: { ...noOption, ...page } }),
  ],
  ["no option at the top", { fallbackPaths: { option }, option: null }, withPaths({ option: noOption })],
  [
    "options at the top before those of the fallbacks",
    { fallbackPaths: optionsOfPaths, option: page },
    withPaths({ option: { ...optionsOfPaths.option, ...page } }),
  ],
];
addRules(
  live,
  trackingLink,
  reroutings.map(([what, request, after]) => {
    return [
      `takes ${what}`,
      [routed],
      changeRouting(request),
      [{ type: "RoutingChanged", data: { linkId, ...after } }],
    ];
  }),
);

live("keeps its routing for an empty or an unchanged request", () => {
  given(routed).when(changeRouting({})).then([]);
  given(routed).when(changeRouting({ deeplinkUrl, fallbackPaths, option })).then([]);
});

const spring = aLink({ campaignParams: { campaign: "spring", subId1: "a" } });
const changeParams = (campaignParams?: CampaignParamsRequest["campaignParams"]) =>
  ({
    type: "ChangeCampaignParams",
    ...named,
    request: campaignParams === undefined ? {} : { campaignParams },
  }) as const;
const paramsChanged = (campaignParams: CampaignParams): TrackingLinkEvent => ({
  type: "CampaignParamsChanged",
  data: { linkId, campaignParams },
});

addRules(live, trackingLink, [
  [
    "changes one campaign parameter",
    [spring],
    changeParams({ campaign: "b" }),
    [paramsChanged({ campaign: "b", subId1: "a" })],
  ],
  [
    "takes another campaign parameter",
    [spring],
    changeParams({ term: "b" }),
    [paramsChanged({ campaign: "spring", subId1: "a", term: "b" })],
  ],
  ["removes a campaign parameter", [spring], changeParams({ sub_id_1: null }), [paramsChanged({ campaign: "spring" })]],
  ["removes all campaign parameters", [spring], changeParams(null), [paramsChanged({})]],
  ["keeps its campaign parameters for the same", [spring], changeParams({ campaign: "spring", term: null }), []],
  ["keeps its campaign parameters for none", [spring], changeParams({}), []],
  ["keeps its campaign parameters for an empty request", [spring], changeParams(), []],
  ["changes those that were last set", [spring, paramsChanged({ term: "b" })], changeParams({ term: "b" }), []],
]);

const archived: TrackingLinkEvent = { type: "TrackingLinkArchived", data: { linkId } };
const restored: TrackingLinkEvent = { type: "TrackingLinkRestored", data: { linkId } };
const archive = { type: "ArchiveTrackingLink", ...named } as const;
const restore = { type: "RestoreTrackingLink", ...named } as const;

addRules(live, trackingLink, [
  ["is archived", [aLink()], archive, [archived]],
  ["is archived once", [aLink(), archived], archive, []],
  ["is restored", [aLink(), archived], restore, [restored]],
  ["is restored once", [aLink(), archived, restored], restore, []],
  ["is not restored unless archived", [aLink()], restore, []],
  ["is archived again", [aLink(), archived, restored], archive, [archived]],
]);

live("is changed while it is archived", () => {
  given(aLink(), archived)
    .when(changeOgTag())
    .then([{ type: "OgTagChanged", data: { linkId, ogTag: preview } }]);
});

live("rejects invalid destinations", () => {
  for (const request of [
    { deeplinkUrl: "data:text/html," },
    { fallbackPaths: { ios: "shop://a" } },
    { fallbackPaths: { desktop: "//evil.example" } },
  ]) {
    const decision = decide([routed], changeRouting(request));
    assert.is(isRejection(decision) && decision.rejected, "LINK_INVALID");
  }
});

live("is changed only by its own app, under its own identifiers", () => {
  const names = [
    { appId: 2 },
    { idType: "shortId", name: "another" },
    { idType: "shortId", name: shortId.toUpperCase() },
    { idType: "trackingTemplateId", name: `${templateId.slice(0, 31)}z` },
  ] as const;
  for (const other of names) {
    given(aLink()).when(changeOgTag(other)).then({ rejected: "TRACKING_LINK_NOT_FOUND" });
    given(aLink()).when(changeRouting({}, other)).then({ rejected: "TRACKING_LINK_NOT_FOUND" });
    given(aLink())
      .when({ ...archive, ...other })
      .then({ rejected: "TRACKING_LINK_NOT_FOUND" });
  }
  given().when(changeOgTag()).then({ rejected: "TRACKING_LINK_NOT_FOUND" });
  assert.is((decide([aLink()], changeOgTag({ idType: "shortId", name: shortId })) as readonly unknown[]).length, 1);
});

const twice = suite("deciding twice");

twice("creates a link once", () => {
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

twice("changes a link once", () => {
  const path = fc.option(fc.oneof(fc.webUrl(), fc.constantFrom("itunes-appstore", "google-play", "javascript:a")));
  const choice = fc.record(
    { iosCustomProductPageId: fc.option(fc.string()), androidCustomStoreListing: fc.option(fc.string()) },
    { requiredKeys: [] },
  );
  const paths = fc.record({ ios: path, android: path, desktop: path, option: choice }, { requiredKeys: [] });
  const anyRouting = fc.record({ deeplinkUrl: path, fallbackPaths: paths, option: choice }, { requiredKeys: [] });
  const anyOgTag = fc.record({ title: fc.string(), description: fc.string(), imageUrl: fc.webUrl() });
  const param = fc.option(fc.constantFrom("a", "b"));
  const anyParams = fc.option(fc.record({ campaign: param, sub_id_1: param, term: param }, { requiredKeys: [] }));
  const anyChange = fc.oneof(
    anyParams.map((params) => changeParams(params)),
    anyRouting.map((request) => changeRouting(request)),
    anyOgTag.map((ogTag) => changeOgTag({ ogTag })),
  );
  assertDecidesOnce(trackingLink, anyChange, [routed]);
});

absent.run();
live.run();
twice.run();
