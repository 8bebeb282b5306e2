import { createHash } from "node:crypto";
import type { FallbackPaths, TrackingLinkCreated } from "../../domain/tracking-links/events.ts";
import { linkIds } from "../../domain/tracking-links/link-ids.ts";
import { shop } from "./app.ts";

export function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/** Names no fallback: the app's stores and desktop page count. */
export const noFallbacks: FallbackPaths = {
  ios: null,
  android: null,
  desktop: null,
  option: { iosCustomProductPageId: null, androidCustomStoreListing: null },
};

/** The shop's link for the spring sale: it leads into the app, else to the stores. */
export function aLink(changes: Partial<TrackingLinkCreated["data"]> = {}): TrackingLinkCreated {
  const shortId = changes.shortId ?? "spring-sale";
  return {
    type: "TrackingLinkCreated",
    data: {
      ...linkIds(sha256(shortId)),
      appId: shop.appId,
      shortId,
      channel: "partner",
      channelType: "custom",
      campaignParams: { campaign: "spring", adGroup: "shoes" },
      isReengagement: "OFF",
      deeplinkUrl: "shop://sale/spring",
      fallbackPaths: noFallbacks,
      ogTag: { title: null, description: null, imageUrl: null },
      ...changes,
    },
  };
}

/** What visitors' browsers say of themselves. */
export const userAgents = {
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1",
  android:
    "Mozilla/5.0 (Linux; Android 15; SM-S938N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
  desktop:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  crawler: "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
} as const;
