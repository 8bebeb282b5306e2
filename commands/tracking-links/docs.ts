import { data, integer, listOf, nullable, object, oneOf, text, uuid } from "../../infra/http/openapi/route-docs.ts";
import { linkAddresses, linkAddressesExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../problems.ts";

const trackingLink = object({
  id: integer,
  channelType: oneOf("integrated", "custom"),
  link: linkAddresses,
  shortId: text,
  shortURL: text,
  shortUrl: text,
  trackingTemplateID: text,
});

const createdExample = {
  id: 1234567890,
  channelType: "custom",
  link: linkAddressesExample,
  shortId: "abc1234",
  shortURL: "https://links.example/abc1234",
  shortUrl: "https://links.example/abc1234",
  trackingTemplateID: "0123456789abcdef0123456789abcdef",
};

const linkExample = { channel: "newsletter", campaignParams: { campaign: "january" } };

export const createLinkDocs = {
  summary: "Create a tracking link",
  description: "Answers its addresses, at which it is served at once.",
  contract: "contract/tracking-links.md#creating",
  request: linkExample,
  answers: {
    200: { schema: data({ trackingLink }), example: { data: { trackingLink: createdExample } } },
  },
  problems: rejectionsOf("LINK_INVALID", "SHORT_ID_TAKEN"),
};

const fault = object({ loc: listOf({ type: ["string", "integer"] }), msg: text, type: text });
const refusal = object({ code: text, title: text, detail: text, errors: listOf(fault) });

export const createLinksDocs = {
  summary: "Create up to 100 tracking links",
  description:
    "The answer has the outcome of each link at its index, as if it had been created alone. After 503, the same call " +
    "with the same `Idempotency-Key` goes on where it stopped.",
  contract: "contract/tracking-links.md#bulk-creation",
  request: { links: [linkExample] },
  answers: {
    200: {
      schema: data({
        links: listOf(object({ index: integer, status: integer }, { trackingLink, error: refusal })),
      }),
      example: { data: { links: [{ index: 0, status: 200, trackingLink: createdExample }] } },
    },
  },
};

const changed = { 200: { schema: object({}), example: {} } };
const notFound = rejectionsOf("TRACKING_LINK_NOT_FOUND");

export const changePreviewDocs = {
  summary: "Change the preview of a tracking link",
  description: "What messengers and social networks show of the link. Any fault of the body is 404.",
  contract: "contract/tracking-links.md#changing",
  request: { title: "Sale", description: "A week of offers", imageUrl: "https://shop.example/sale.png" },
  answers: changed,
  problems: notFound,
};

export const changeRoutingDocs = {
  summary: "Change the destinations of a tracking link",
  description: "Visits from now on go there. What is left out stays as it is.",
  contract: "contract/tracking-links.md#changing",
  request: { deeplinkUrl: "shop://sale", fallbackPaths: { desktop: "https://shop.example/sale" } },
  answers: changed,
  problems: notFound,
};

export const changeCampaignParamsDocs = {
  summary: "Change the campaign parameters of a tracking link",
  description:
    "Clicks and impressions from now on have them; those recorded before keep theirs. What is left out stays as it is, " +
    "null removes it.",
  contract: "contract/tracking-links.md#changing",
  request: { campaignParams: { campaign: "february", term: null } },
  answers: changed,
  problems: notFound,
};

export const archiveLinkDocs = {
  summary: "Archive a tracking link",
  description:
    "Lists leave it out unless they are asked for it. Visitors are served as before, and their clicks count.",
  contract: "contract/tracking-links.md#archiving",
  answers: changed,
  problems: notFound,
};

export const restoreLinkDocs = {
  summary: "Restore an archived tracking link",
  description: "Lists have it again.",
  contract: "contract/tracking-links.md#archiving",
  answers: changed,
  problems: notFound,
};

export const openDeferredDocs = {
  summary: "Ask where the click led that won an install",
  description:
    "The deferred deep link: a fresh install gets the destination of its click once, and later calls get null. A repeated " +
    "call with the same `Idempotency-Key` gets the same. Send `X-Min-Position` with what the install was answered with.",
  contract: "contract/tracking-links.md#deferred-deep-links",
  request: { eventId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01" },
  answers: {
    200: {
      schema: data({ destination: nullable(text), clickId: nullable(uuid), trackingLinkId: nullable(integer) }),
      example: {
        data: {
          destination: "shop://sale/spring?tl_click_id=01a204ed-d989-7d28-a245-2fadaf49e37d",
          clickId: "01a204ed-d989-7d28-a245-2fadaf49e37d",
          trackingLinkId: 1234567890,
        },
      },
    },
  },
  problems: [{ status: 404, code: "ATTRIBUTION_NOT_FOUND" }],
};
