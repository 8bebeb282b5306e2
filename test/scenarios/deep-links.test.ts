// time limit: 90 s
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { userAgents } from "../examples/tracking-links.ts";
import { type Answer, type Call, type Client, clientOf } from "../support/client.ts";
import { type RunningShop, runShop } from "../support/running-shop.ts";

let running: RunningShop;
let call: Client;
let shortUrl: string;
const deepLinks = suite("deep links over a whole application");
deepLinks.before(async () => {
  running = await runShop();
  call = clientOf(running.application.run.port);
  const link = { channel: "partner", campaignParams: { campaign: "spring" }, deeplinkUrl: "shop://sale" };
  const { json } = await call("POST", "/v1/tracking-links", { token: running.tokens.api, body: link });
  shortUrl = (json as { data: { trackingLink: { shortURL: string } } }).data.trackingLink.shortURL;
});
deepLinks.after(() => running.end());

interface Sent {
  readonly eventId: string;
  /** Of the answer. */
  readonly position: string;
}

async function sendEvent(event: object): Promise<Sent> {
  const eventId = randomUUID();
  const events = [{ eventId, eventTimestamp: Date.now(), ...event }];
  const { headers } = await call("POST", "/events/v1/apps/shop/app-events", {
    token: running.tokens.sdk,
    body: { events },
  });
  return { eventId, position: String(headers["x-log-position"]) };
}

/** Calls until the event is decided. */
async function decided(method: string, path: string, { position }: Sent, sent: Call): Promise<Answer> {
  for (;;) {
    const answer = await call(method, path, { ...sent, headers: { ...sent.headers, "X-Min-Position": position } });
    const isPending = answer.status === 503 || answer.text.includes("ATTRIBUTION_PENDING");
    if (!isPending) return answer;
    await pause(50);
  }
}

const openOf = async (install: Sent, headers: Record<string, string> = {}) => {
  const body = { eventId: install.eventId };
  const { status, json } = await decided("POST", "/v1/tracking-links/open", install, {
    ...{ token: running.tokens.sdk, body, headers },
  });
  return [status, (json as { data: unknown }).data];
};

const none = { destination: null, clickId: null, trackingLinkId: null };

deepLinks("an install asks once where its click led, and again under the same key", async () => {
  const { pathname } = new URL(shortUrl);
  const page = await call("GET", pathname, { headers: { "User-Agent": userAgents.android } });
  const [, clickId = ""] = /shop:\/\/sale\?tl_click_id=([0-9a-f-]{36})/.exec(page.text) ?? [];
  const device = { id: "phone-1", os: "Android" };
  const install = await sendEvent({ category: "app_install", device, referrer: { clickId } });
  const key = { "Idempotency-Key": "first-start" };
  const [status, first] = await openOf(install, key);
  const { trackingLinkId, ...link } = first as { readonly trackingLinkId: number };
  assert.equal([status, link], [200, { destination: `shop://sale?tl_click_id=${clickId}`, clickId }]);
  assert.is(typeof trackingLinkId, "number");
  assert.equal(await openOf(install, key), [200, first]);
  assert.equal(await openOf(install), [200, none]);
  assert.equal(await openOf(install, { "Idempotency-Key": "second-start" }), [200, none]);

  const organic = await sendEvent({ category: "app_install", device: { id: "phone-2", os: "iOS" } });
  assert.equal(await openOf(organic), [200, none]);
  const unknown = { token: running.tokens.sdk, body: { eventId: randomUUID() } };
  const { status: notFound, json } = await call("POST", "/v1/tracking-links/open", unknown);
  assert.equal([notFound, (json as { code: string }).code], [404, "ATTRIBUTION_NOT_FOUND"]);
});

deepLinks("a deeplink open that names a link is attributed to it", async () => {
  const device = { id: "phone-3", os: "iOS" };
  const open = await sendEvent({ category: "app_deeplink_open", device, referrer: { deeplinkUrl: shortUrl } });
  const path = `/admin/v1/apps/shop/attributions/${open.eventId}`;
  const { json } = await decided("GET", path, open, { token: running.tokens.api });
  const { winner, candidates } = (json as { data: { winner: Winner; candidates: readonly object[] } }).data;
  assert.equal(
    [winner.matchedBy, winner.kind, winner.source.channel, winner.source.campaignParams, candidates.length],
    ["click_id", "click", "partner", { campaign: "spring" }, 1],
  );
});

interface Winner {
  readonly matchedBy: string;
  readonly kind: string;
  readonly source: { readonly channel: string; readonly campaignParams: object };
}

deepLinks.run();
