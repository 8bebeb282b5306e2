import { data, integer, listOf, nullable, object, oneOf, text, uuid } from "../../infra/http/openapi/route-docs.ts";
import { linkAddresses, linkAddressesExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

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
  description: "Returns the addresses of the link, which work at once.",
  contract: "contract/tracking-links.md#creating",
  request: linkExample,
  responses: {
    200: { schema: data({ trackingLink }), example: { data: { trackingLink: createdExample } } },
  },
  problems: rejectionsOf("SHORT_ID_TAKEN"),
};

const fault = object({ loc: listOf({ type: ["string", "integer"] }), msg: text, type: text });
const refusal = object({ code: text, title: text, detail: text, errors: listOf(fault) });

export const createLinksDocs = {
  summary: "Create up to 100 tracking links",
  description:
    "Creates each link as if it were created alone; the response has the result of each at its index. After 503, " +
    "the same call with the same `Idempotency-Key` continues where it stopped.",
  contract: "contract/tracking-links.md#bulk-creation",
  request: { links: [linkExample] },
  responses: {
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
  description:
    "Sets the title, description and image that messengers and social networks show for the link. An invalid body " +
    "gets 404.",
  contract: "contract/tracking-links.md#changing",
  request: { title: "Sale", description: "A week of offers", imageUrl: "https://shop.example/sale.png" },
  responses: changed,
  problems: notFound,
};

export const changeRoutingDocs = {
  summary: "Change the destinations of a tracking link",
  description: "Applies to clicks from now on. Omitted fields keep their values.",
  contract: "contract/tracking-links.md#changing",
  request: { deeplinkUrl: "shop://sale", fallbackPaths: { desktop: "https://shop.example/sale" } },
  responses: changed,
  problems: notFound,
};

export const changeCampaignParamsDocs = {
  summary: "Change the campaign parameters of a tracking link",
  description:
    "Applies to clicks and impressions from now on; recorded ones keep their parameters. Omitted parameters keep " +
    "their values; null removes a parameter.",
  contract: "contract/tracking-links.md#changing",
  request: { campaignParams: { campaign: "february", term: null } },
  responses: changed,
  problems: notFound,
};

export const archiveLinkDocs = {
  summary: "Archive a tracking link",
  description:
    "Lists omit an archived link unless `status` asks for it. The link keeps working: visitors are redirected, " +
    "and their clicks are counted.",
  contract: "contract/tracking-links.md#archiving",
  responses: changed,
  problems: notFound,
};

export const restoreLinkDocs = {
  summary: "Restore an archived tracking link",
  description: "The link is in lists again.",
  contract: "contract/tracking-links.md#archiving",
  responses: changed,
  problems: notFound,
};

export const openDeferredDocs = {
  summary: "Get the deferred deep link of an install",
  description:
    "Returns the destination of the click to which the install is attributed. It is returned once; later calls " +
    "get null. A repeated call with the same `Idempotency-Key` gets the same response. Send the position that the " +
    "install was acknowledged with in `X-Min-Position`.",
  contract: "contract/tracking-links.md#deferred-deep-links",
  request: { eventId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01" },
  responses: {
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
