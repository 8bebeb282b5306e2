import {
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
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { attributionRules, attributionRulesExample } from "../../infra/http/openapi/shared-schemas.ts";
import { listResponse } from "../listing.ts";

const nullableText = nullable(text);
const source = object({
  channel: text,
  channelType: nullableText,
  trackingLinkId: nullable(integer),
  isReengagement: nullableText,
  campaignParams: nullable(mapOf(text)),
  publisher: nullable(mapOf({})),
});
const winner = nullable(
  object({
    touchpointId: nullableText,
    kind: nullableText,
    at: nullableText,
    matchedBy: nullableText,
    source,
  }),
);
const candidate = object(
  { touchpointId: nullableText, kind: nullableText, at: nullableText, matchedBy: nullableText, verdict: text },
  { channel: oneOf("restricted"), arrivedLater: { const: true } },
);
const seconds = object({ device: integer, probabilistic: integer });
const windows = { click: seconds, impression: seconds };
const decision = {
  appId: integer,
  eventId: uuid,
  category: oneOf("app_install", "app_deeplink_open", "app_deeplink_pageview"),
  at: instant,
  deviceKey: uuid,
  winner,
  candidates: listOf(candidate),
  otherCandidates: mapOf(integer),
  rules: object({ ...windows, attributionWindow: integer, channels: mapOf(object(windows)) }),
  asOfPosition: position,
};
const ofRevision = { lateTouchpointId: nullableText, formerWinner: winner };
const click = {
  touchpointId: "7d1c3f52-1f2d-4b0a-8c59-0f6a2f1b9e01",
  kind: "click",
  at: "2026-01-05T08:00:00.000Z",
  matchedBy: "click_id",
};
const shownClick = {
  ...click,
  source: {
    channel: "newsletter",
    channelType: "custom",
    trackingLinkId: 1234567890,
    isReengagement: "OFF",
    campaignParams: { campaign: "january" },
    publisher: {},
  },
};
const lookback = { device: 604_800, probabilistic: 86_400 };

export const attributionDocs = {
  summary: "Explain an attribution",
  description:
    "Returns the latest decision on an install or a deeplink open: the winner, every candidate with its verdict, " +
    "and the rules that were in force. `formerDecisions` are the decisions that it replaced. Touchpoints that " +
    "masking withholds have the channel `restricted`. A response with `ATTRIBUTION_PENDING` has `Retry-After`.",
  contract: "contract/attribution.md#decisions",
  responses: {
    200: {
      schema: data({ ...decision, formerDecisions: listOf(object(decision, ofRevision)) }, ofRevision),
      example: {
        data: {
          appId: 1,
          eventId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01",
          category: "app_install",
          at: "2026-01-05T09:00:00.000Z",
          deviceKey: "6f1e2a57-6b0c-8e0f-8a3d-1d7b0a6e4c22",
          winner: shownClick,
          candidates: [{ ...click, verdict: "won" }],
          otherCandidates: {},
          rules: { click: lookback, impression: lookback, attributionWindow: 2_592_000, channels: {} },
          asOfPosition: "12345",
          formerDecisions: [],
        },
      },
    },
  },
  problems: [
    { status: 404, code: "ATTRIBUTION_NOT_FOUND" },
    { status: 404, code: "ATTRIBUTION_PENDING", retryAfterSeconds: 1 },
  ],
};

export const deviceAttributionsDocs = {
  summary: "List the attributions of a device",
  description:
    "Returns the current decision on each install and deeplink open of a device, newest first. The call is " +
    "recorded in the audit trail; while the event log cannot be written, it fails with 503. Touchpoints that " +
    "masking withholds have the channel `restricted`.",
  contract: "contract/attribution.md#device",
  responses: {
    200: listResponse(
      "attributions",
      object({
        eventId: uuid,
        category: decision.category,
        at: instant,
        winner,
        revisions: integer,
        asOfPosition: position,
      }),
      {
        eventId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01",
        category: "app_install",
        at: "2026-01-05T09:00:00.000Z",
        winner: shownClick,
        revisions: 0,
        asOfPosition: "12345",
      },
    ),
  },
};

export const attributionRulesDocs = {
  summary: "Get the attribution rules of an app",
  description: "Returns the complete current rules.",
  contract: "contract/administration.md#attribution-rules",
  responses: {
    200: { schema: data({ attributionRules }), example: { data: { attributionRules: attributionRulesExample } } },
  },
};
