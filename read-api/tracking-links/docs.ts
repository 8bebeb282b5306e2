import {
  boolean,
  data,
  instant,
  integer,
  listOf,
  mapOf,
  nullable,
  object,
  oneOf,
  position,
  text,
} from "../../infra/http/openapi/route-docs.ts";
import { actor, linkAddresses, linkAddressesExample } from "../../infra/http/openapi/shared-schemas.ts";
import { listResponse } from "../listing.ts";

const nullableText = nullable(text);

const option = object({ iosCustomProductPageId: nullableText, androidCustomStoreListing: nullableText });

const detail = {
  link: linkAddresses,
  email: text,
  company: nullableText,
  ogTag: object({ title: nullableText, imageUrl: nullableText, description: nullableText }),
  shortId: text,
  shortUrl: text,
  createdAt: text,
  archivedAt: nullableText,
  channelName: text,
  channelType: oneOf("integrated", "custom"),
  deeplinkUrl: nullableText,
  fallbackPaths: object({ ios: text, android: text, desktop: text, option }),
  campaignParams: mapOf(nullableText),
  isReengagement: boolean,
};

const detailExample = {
  link: linkAddressesExample,
  email: "owner@shop.example",
  company: null,
  ogTag: { title: null, imageUrl: null, description: null },
  shortId: "abc1234",
  shortUrl: "https://links.example/abc1234",
  createdAt: "2026-01-05T09:00:00.000+09:00",
  archivedAt: null,
  channelName: "newsletter",
  channelType: "custom",
  deeplinkUrl: null,
  fallbackPaths: {
    ...{ ios: "itunes-appstore", android: "google-play", desktop: "https://shop.example/" },
    option: { iosCustomProductPageId: null, androidCustomStoreListing: null },
  },
  campaignParams: {
    ...{ term: null, subId: null, subId1: null, subId2: null, subId3: null, adGroup: null, content: null },
    ...{ campaign: "january", adCreative: null },
  },
  isReengagement: false,
};

const cell = object({ value: nullable(integer), isMasked: boolean });
const stats = object({ clicks: cell, installs: cell });

export const listLinksDocs = {
  summary: "List the tracking links of an app",
  description:
    "Returns the links that were created in a range of dates, in the time zone of the app, newest first by " +
    "default; all links without dates. Archived links are omitted unless `status` asks for them. With `stats=true` " +
    "each link has its clicks and installs on these dates, without dates on the last 92.",
  contract: "contract/tracking-links.md#listing",
  responses: {
    200: {
      schema: data({ totalCount: integer, trackingLinks: listOf(object({ id: integer, ...detail }, { stats })) }),
      example: { data: { totalCount: 1, trackingLinks: [{ id: 1234567890, ...detailExample }] } },
    },
  },
  problems: [{ status: 503, code: "LINK_STATS_TOO_SLOW" }],
};

export const linkDocs = {
  summary: "Get a tracking link",
  description: "Returns the addresses, destinations and campaign parameters of the link. An unknown link gets 400.",
  contract: "contract/tracking-links.md#detail",
  request: {},
  responses: { 200: { schema: data(detail), example: { data: detailExample } } },
  problems: [{ status: 400, code: "TRACKING_LINK_NOT_FOUND" }],
};

const linkFields = object(
  {},
  {
    channel: text,
    channelType: oneOf("integrated", "custom"),
    campaignParams: mapOf(text),
    isReengagement: oneOf("OFF", "ON-TRUE", "ON-FALSE"),
    deeplinkUrl: nullableText,
    fallbackPaths: object({ ios: nullableText, android: nullableText, desktop: nullableText, option }),
    ogTag: detail.ogTag,
    isArchived: boolean,
  },
);

export const linkHistoryDocs = {
  summary: "List the changes of a tracking link",
  description:
    "Returns the creation and every change, newest first, with the actor, the time, and the old and new values.",
  contract: "contract/tracking-links.md#history",
  responses: {
    200: listResponse(
      "changes",
      object({
        position,
        time: instant,
        type: text,
        requestId: text,
        actor,
        before: nullable(linkFields),
        after: linkFields,
      }),
      {
        position: "12345",
        time: "2026-01-05T00:00:00.000Z",
        type: "CampaignParamsChanged",
        requestId: "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10",
        actor: { kind: "token", tokenId: "0f".repeat(16), role: "owner", label: "site" },
        before: { campaignParams: { campaign: "january" } },
        after: { campaignParams: { campaign: "february" } },
      },
    ),
  },
  problems: [{ status: 404, code: "TRACKING_LINK_NOT_FOUND" }],
};

export const qrDocs = {
  summary: "Get the QR code of a tracking link",
  description: "Returns the short address of the link as a QR code, as SVG or PNG.",
  contract: "contract/tracking-links.md#qr-codes",
  responses: {
    200: [
      { mediaType: "image/svg+xml", example: "<svg>...</svg>" },
      { mediaType: "image/png", example: "(bytes)" },
    ],
  },
  problems: [{ status: 404, code: "TRACKING_LINK_NOT_FOUND" }],
};
