import { suite } from "uvu";
import type { TouchpointSource } from "../../../domain/touchpoints/events.ts";
import { deferredLink, type OpenDeferredLink } from "../../../domain/tracking-links/deferred-link.ts";
import type { DeferredLinkOpened } from "../../../domain/tracking-links/events.ts";
import { addRules } from "../../support/decider-specification.ts";

const at = "2026-03-01T00:00:00.000Z";
const source: TouchpointSource = {
  ...{ channel: "partner", channelType: "custom", trackingLinkId: 7, isReengagement: "OFF" },
  ...{ campaignParams: {}, publisher: {} },
};
const ids = { appId: 1, eventId: "install-1" };
const open = (destination: string | null, changes: Partial<OpenDeferredLink> = {}): OpenDeferredLink => ({
  ...{ type: "OpenDeferredLink", ...ids, category: "app_install", at, now: at },
  ...{ click: { touchpointId: "click-1", source, destination } },
  pagesOutside: ["https://api.example/open", "https://apps.example/shop?store=1"],
  ...changes,
});
const opened = (destination: string): DeferredLinkOpened => ({
  type: "DeferredLinkOpened",
  data: { ...ids, touchpointId: "click-1", trackingLinkId: 7, destination },
});
const sale = "shop://sale?tl_click_id=click-1";
const later = (ms: number) => new Date(Date.parse(at) + 24 * 60 * 60 * 1000 + ms).toISOString();
// As long as creation allows, percent-encoded as the click has it.
const long = `shop://${encodeURIComponent("판".repeat(2_041))}?tl_click_id=click-1`;
const nowhere = { rejected: "NO_DESTINATION" } as const;

const link = suite("the deferred deep link of an install");
addRules(link, deferredLink, [
  ["is the destination of the click that won", [], open(sale), [opened(sale)]],
  ["may be a web address", [], open("https://shop.example/sale"), [opened("https://shop.example/sale")]],
  ["may be as long as a link allows, encoded", [], open(long), [opened(long)]],
  [
    "may be at the host of a page outside of the app",
    [],
    open("https://apps.example/"),
    [opened("https://apps.example/")],
  ],
  ["is answered once", [opened(sale)], open(sale), { rejected: "ALREADY_OPENED" }],
  ["is nothing of other events", [], open(sale, { category: "app_open" }), { rejected: "NOT_AN_INSTALL" }],
  ["is there shortly before 24 hours", [], open(sale, { now: later(-1) }), [opened(sale)]],
  ["is there at 24 hours", [], open(sale, { now: later(0) }), [opened(sale)]],
  ["is gone after 24 hours", [], open(sale, { now: later(1) }), { rejected: "INSTALL_TOO_OLD" }],
  ["is nothing without a click", [], open(null, { click: null }), nowhere],
  ["is nothing of a click that led nowhere", [], open(null), nowhere],
  ...[
    "https://apps.apple.com/app/id1?tl_click_id=click-1",
    "https://play.google.com/store/apps/details?id=example.shop&referrer=tl_click_id%3Dclick-1",
    "market://details?id=example.shop",
    "https://api.example/open?tl_click_id=click-1",
    "https://apps.example/shop?store=1&tl_click_id=click-1",
  ].map((page) => [`is not the page ${page}`, [], open(page), nowhere] as const),
]);
link.run();
