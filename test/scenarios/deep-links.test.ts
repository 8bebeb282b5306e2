// time limit: 90 s
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { userAgents } from "../examples/tracking-links.ts";
import { type Answer, type Call, type Client, clientOf } from "../support/raw-client.ts";
import { type RunningShop, runShop } from "../support/running-shop.ts";

let running: RunningShop;
let call: Client;
let shortUrl: string;
/** Of a self-attributing network, of which so few installs are withheld. */
let networkUrl: string;
const deepLinks = suite("deep links over a whole application");
deepLinks.before(async () => {
  running = await runShop();
  call = clientOf(running.application.run.port);
  shortUrl = await shortUrlOf("partner");
  networkUrl = await shortUrlOf("twitter");
});
deepLinks.after(() => running.end());

async function shortUrlOf(channel: string): Promise<string> {
  const body = { channel, campaignParams: { campaign: "spring" }, deeplinkUrl: "shop://sale" };
  const { json } = await call("POST", "/v1/tracking-links", { token: running.tokens.api, body });
  return (json as { data: { trackingLink: { shortURL: string } } }).data.trackingLink.shortURL;
}

/** The id of the click that a visit of a link makes. */
async function clickIdOf(url: string): Promise<string> {
  const page = await call("GET", new URL(url).pathname, { headers: { "User-Agent": userAgents.android } });
  return /shop:\/\/sale\?tl_click_id=([0-9a-f-]{36})/.exec(page.text)?.[1] ?? "";
}

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

async function attributionOf(sent: Sent): Promise<{ winner: Winner; candidates: readonly object[] }> {
  const path = `/admin/v1/apps/shop/attributions/${sent.eventId}`;
  const { json } = await decided("GET", path, sent, { token: running.tokens.api });
  return (json as { data: { winner: Winner; candidates: readonly object[] } }).data;
}

const none = { destination: null, clickId: null, trackingLinkId: null };

deepLinks("an install gets the destination of its click once, and again with the same key", async () => {
  const clickId = await clickIdOf(shortUrl);
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
  const { status: empty } = await call("POST", "/v1/tracking-links/open", { ...unknown, body: { eventId: "" } });
  assert.is(empty, 400);
});

deepLinks("an install whose click is withheld gets no destination", async () => {
  const referrer = { clickId: await clickIdOf(networkUrl) };
  const install = await sendEvent({ category: "app_install", device: { id: "phone-4", os: "Android" }, referrer });
  const { winner } = await attributionOf(install);
  assert.equal([winner.touchpointId, winner.source.channel], [null, "restricted"]);
  assert.equal(await openOf(install), [200, none]);
});

deepLinks("a deeplink open that names a link is attributed to it", async () => {
  const device = { id: "phone-3", os: "iOS" };
  const open = await sendEvent({ category: "app_deeplink_open", device, referrer: { deeplinkUrl: shortUrl } });
  const { winner, candidates } = await attributionOf(open);
  assert.equal(
    [winner.matchedBy, winner.kind, winner.source.channel, winner.source.campaignParams, candidates.length],
    ["click_id", "click", "partner", { campaign: "spring" }, 1],
  );
});

interface Winner {
  readonly touchpointId: string | null;
  readonly matchedBy: string;
  readonly kind: string;
  readonly source: { readonly channel: string; readonly campaignParams: object };
}

deepLinks.run();
