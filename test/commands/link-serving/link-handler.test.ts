import * as assert from "uvu/assert";
import { shop } from "../../examples/app.ts";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { create, open, prefetches } from "../../support/visitor.ts";

const appStore = "https://apps.apple.com/app/id123456789";
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const clicks = linkSuite("a click");

clicks("is recorded with all its details, and redirects the visitor", async ({ application }) => {
  const { id, shortUrl } = await create(application, {
    campaignParams: { campaign: "spring" },
    deeplinkUrl: "https://shop.example/sale",
    isReengagement: "ON-TRUE",
  });
  const { status, headers } = await open(application, shortUrl);
  const recorded = await application.lastTouchpoint();
  const clickId = new URL(headers.location ?? "").searchParams.get("tl_click_id") ?? "";
  assert.is(status, 302);
  assert.match(clickId, uuidv7);
  assert.equal(
    [headers.location, headers["cache-control"], headers["referrer-policy"], headers["x-log-position"]],
    [`https://shop.example/sale?tl_click_id=${clickId}`, "no-store", "no-referrer", undefined],
  );
  assert.equal([recorded.id, recorded.type], [clickId, "ClickRecorded"]);
  const { actor, requestId, occurredAt } = recorded.metadata;
  assert.equal([actor, requestId, occurredAt], [{ kind: "visitor" }, headers["x-request-id"], recorded.data.at]);
  assert.equal(
    { ...recorded.data, at: "" },
    {
      touchpointId: clickId,
      appId: shop.appId,
      at: "",
      origin: "redirect",
      source: {
        channel: "partner",
        channelType: "custom",
        trackingLinkId: id,
        isReengagement: "ON-TRUE",
        campaignParams: { campaign: "spring" },
        publisher: {},
      },
      verdict: { human: true },
      destination: headers.location ?? "",
      deviceKey: null,
      os: "iOS",
      osVersion: "17.1.1",
      person: { ip: "127.0.0.1", userAgent: userAgents.iphone },
    },
  );
});

clicks("on a link into an app shows a page that works without scripts", async ({ application }) => {
  const { link } = await create(application, { deeplinkUrl: "shop://sale?a='b'&c=1" });
  const { status, text, headers } = await open(application, link.click);
  const recorded = await application.lastTouchpoint();
  const clickId = recorded.data.touchpointId;
  assert.equal([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
  assert.match(String(headers["content-security-policy"]), /^default-src 'none';.* script-src 'sha256-[\w+/]+='$/);
  assert.ok(text.includes(`<a href="shop://sale?a=&#39;b&#39;&amp;c=1&amp;tl_click_id=${clickId}">`), text);
  assert.ok(text.includes(`<a href="${appStore}?tl_click_id=${clickId}">`), text);
  assert.is(recorded.data.destination, `shop://sale?a='b'&c=1&tl_click_id=${clickId}`);
});

clicks("of a bot is recorded with its name", async ({ application }) => {
  const { shortUrl } = await create(application, {});
  const { status } = await open(application, shortUrl, "Googlebot/2.1 (+http://www.google.com/bot.html)");
  const recorded = await application.lastTouchpoint();
  assert.equal([status, recorded.data.verdict], [302, { human: false, bot: "Googlebot" }]);
});

clicks("is not recorded for HEAD and prefetches", async ({ application }) => {
  const { shortUrl } = await create(application, {});
  const before = await application.touchpoints();
  for (const look of [{ method: "HEAD" }, ...prefetches]) {
    const { status, headers } = await open(application, shortUrl, userAgents.iphone, look);
    assert.equal([status, headers["x-log-position"]], [302, undefined]);
    assert.match(headers.location ?? "", /tl_click_id=/);
  }
  assert.is((await application.touchpoints()).length, before.length);
});

clicks("on an unknown link is answered with a 404 page", async ({ application }) => {
  const { link } = await create(application, { customShortId: "real-link" });
  const addresses = [
    `${application.baseUrl}/l/unknown`,
    `${application.baseUrl}/l/Real-Link`,
    `${application.baseUrl}/l/%00`,
    `${application.baseUrl}/l/a/b/c`,
    `${application.baseUrl}/l/`,
    `${application.baseUrl}/l/@shop/partner`,
    link.click.replace("@shop", "@other_shop"),
    link.click.replace("/partner", "/appier"),
    link.click.replace(/(template_id=.{20})..../, "$10000"),
  ];
  const before = application.seen.unresolved;
  for (const address of addresses) {
    const { status, headers } = await open(application, address);
    assert.equal([status, headers["content-type"]], [404, "text/html; charset=utf-8"], address);
  }
  assert.is(application.seen.unresolved - before, addresses.length);
});

clicks("on an unknown link is not counted for HEAD, prefetches and impressions", async ({ application }) => {
  const before = application.seen.unresolved;
  const unknown = `${application.baseUrl}/l/unknown`;
  const answers = [
    await open(application, unknown, userAgents.iphone, { method: "HEAD" }),
    await open(application, unknown, userAgents.iphone, prefetches[0]),
    await open(application, unknown, userAgents.iphone, prefetches[3]),
    await open(application, `${unknown}?ad_type=view`),
  ];
  assert.equal(statusesOf(answers), [404, 404, 404, 404]);
  assert.is(application.seen.unresolved, before);
});

clicks("leads to the plain page of the API when neither link nor app has a destination", async ({ application }) => {
  const { shortUrl, link } = await create(application, {}, "bare_owner");
  for (const [address, userAgent] of [
    [shortUrl, userAgents.iphone],
    [link.click, userAgents.android],
    [link.click, userAgents.desktop],
  ] as const) {
    const { status, headers } = await open(application, address, userAgent);
    const recorded = await application.lastTouchpoint();
    const openPageUrl = `${application.baseUrl}/open?tl_click_id=${recorded.data.touchpointId}`;
    assert.equal([status, headers.location, recorded.data.destination], [302, openPageUrl, openPageUrl]);
    const page = await open(application, openPageUrl, userAgent);
    assert.equal([page.status, page.text.startsWith("<!doctype html>")], [200, true]);
  }
});

const outage = linkSuite("while the event store is away");

outage("visitors of known links are redirected, and lost clicks are reported", async ({ application }) => {
  const { shortUrl, link } = await create(application, {});
  await open(application, shortUrl);
  await application.stopStore();
  const { status, headers } = await open(application, shortUrl);
  assert.equal([status, headers["x-log-position"], application.seen.lost.length], [302, undefined, 1]);
  assert.match(headers.location ?? "", /tl_click_id=/);
  assert.is((await open(application, link.serverToServerClick)).status, 503);
});

outage("links that cannot be read are answered with 503, to servers as a problem", async ({ application }) => {
  await application.stopStore();
  for (const [path, mediaType] of [
    ["another", "text/html; charset=utf-8"],
    ["s2s/@shop/partner?routing_short_id=another", "application/problem+json; charset=utf-8"],
  ] as const) {
    const { status, headers } = await open(application, `${application.baseUrl}/l/${path}`);
    const answered = [status, headers["content-type"], headers["retry-after"], headers["cache-control"]];
    assert.equal(answered, [503, mediaType, "2", "no-store"]);
  }
});

for (const tests of [clicks, outage]) tests.run();
