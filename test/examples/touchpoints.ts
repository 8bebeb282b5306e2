import type {
  ClickRecorded,
  ImpressionRecorded,
  TouchpointRecordedData,
  TouchpointSource,
} from "../../domain/touchpoints/events.ts";
import { shop } from "./app.ts";
import { exampleUuid } from "./recorded-log.ts";

/** The link on a partner's page: acquisition and re-engagement alike. */
export const springSale: TouchpointSource = {
  channel: "partner",
  channelType: "custom",
  trackingLinkId: 7,
  isReengagement: "OFF",
  campaignParams: { campaign: "spring", adGroup: "shoes" },
  publisher: {},
};

const touchpoint: TouchpointRecordedData = {
  touchpointId: exampleUuid("click", 1),
  appId: shop.appId,
  at: "2026-03-01T09:00:00.000Z",
  origin: "redirect",
  source: springSale,
  verdict: { human: true },
  destination: "https://shop.example/",
  deviceKey: null,
  os: "Android",
  osVersion: "15",
  person: { ip: "203.0.113.7", userAgent: "Mozilla/5.0 (Linux; Android 15)" },
};

/** Somebody with an Android phone clicked the link of the spring sale on March 1 at 18:00 in Seoul. */
export function aClick(changes: Partial<TouchpointRecordedData> = {}): ClickRecorded {
  return { type: "ClickRecorded", data: { ...touchpoint, ...changes } };
}

/** The same person saw an ad of the spring sale, an hour before. */
export function anImpression(changes: Partial<TouchpointRecordedData> = {}): ImpressionRecorded {
  const seen = { touchpointId: exampleUuid("impression", 1), at: "2026-03-01T08:00:00.000Z", origin: "view" } as const;
  return { type: "ImpressionRecorded", data: { ...touchpoint, ...seen, destination: null, ...changes } };
}
