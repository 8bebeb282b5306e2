import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shop } from "../../examples/app.ts";
import { userAgents } from "../../examples/tracking-links.ts";
import type { Call } from "../../support/client.ts";
import { type LinkHouse, startLinkHouse } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

type Context = { house: LinkHouse };
const appStore = "https://apps.apple.com/app/id123456789";
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function house(name: string) {
  const tests = suite<Context>(name);
  tests.before(async (context) => {
    context.house = await startLinkHouse();
  });
  tests.after(({ house }) => house.close());
  return tests;
}

const clicks = house("a click");

clicks("is recorded with everything that is known, and sends the visitor on", async ({ house }) => {
  const { id, shortUrl } = await create(house, {
    campaignParams: { campaign: "spring" },
    deeplinkUrl: "https://shop.example/sale",
    isReengagement: "ON-TRUE",
  });
  const { status, headers } = await open(house, shortUrl);
  const [recorded] = (await house.touchpoints()).slice(-1);
  const clickId = new URL(headers.location ?? "").searchParams.get("tl_click_id") ?? "";
  assert.is(status, 302);
  assert.match(clickId, uuidv7);
  assert.equal(
    [headers.location, headers["cache-control"], headers["referrer-policy"], headers["x-log-position"]],
    [`https://shop.example/sale?tl_click_id=${clickId}`, "no-store", "no-referrer", String(recorded?.position.commit)],
  );
  assert.equal([recorded?.id, recorded?.type], [clickId, "ClickRecorded"]);
  assert.equal(
    { ...recorded?.metadata, occurredAt: recorded?.data.at },
    {
      ...recorded?.metadata,
      actor: { kind: "visitor" },
      requestId: String(headers["x-request-id"]),
      occurredAt: recorded?.metadata.occurredAt ?? "",
    },
  );
  assert.equal(
    { ...recorded?.data, at: "" },
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

clicks("on a link into an app shows a page that works without scripts", async ({ house }) => {
  const { link } = await create(house, { deeplinkUrl: "shop://sale?a='b'&c=1" });
  const { status, text, headers } = await open(house, link.click);
  const [recorded] = (await house.touchpoints()).slice(-1);
  const clickId = recorded?.data.touchpointId;
  assert.equal([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
  assert.match(String(headers["content-security-policy"]), /^default-src 'none';.* script-src 'sha256-[\w+/]+='$/);
  assert.ok(text.includes(`<a href="shop://sale?a=&#39;b&#39;&amp;c=1&amp;tl_click_id=${clickId}">`), text);
  assert.ok(text.includes(`<a href="${appStore}?tl_click_id=${clickId}">`), text);
  assert.is(recorded?.data.destination, `shop://sale?a='b'&c=1&tl_click_id=${clickId}`);
});

clicks("goes where its platform goes", async ({ house }) => {
  const { shortUrl } = await create(house, {});
  const opened = [
    await open(house, shortUrl, userAgents.iphone),
    await open(house, shortUrl, userAgents.android),
    await open(house, shortUrl, userAgents.desktop),
    await open(house, shortUrl, userAgents.desktop, { headers: { "Sec-CH-UA-Platform": '"Android"' } }),
  ];
  const id = "[0-9a-f-]{36}";
  const googlePlay = `^https://play.google.com/store/apps/details\\?id=example.shop&referrer=tl_click_id%3D${id}$`;
  const expected = [
    `^${appStore}\\?tl_click_id=${id}$`,
    googlePlay,
    `^https://shop.example/\\?tl_click_id=${id}$`,
    googlePlay,
  ];
  for (const [index, { headers }] of opened.entries())
    assert.match(headers.location ?? "", new RegExp(expected[index] ?? "^$"));
});

clicks("of a bot is recorded with its name", async ({ house }) => {
  const { shortUrl } = await create(house, {});
  const { status } = await open(house, shortUrl, "Googlebot/2.1 (+http://www.google.com/bot.html)");
  const [recorded] = (await house.touchpoints()).slice(-1);
  assert.equal([status, recorded?.data.verdict], [302, { human: false, bot: "Googlebot" }]);
});

clicks("is not recorded when somebody only looks ahead", async ({ house }) => {
  const { shortUrl } = await create(house, {});
  const before = await house.touchpoints();
  const looks: readonly (Call & { method?: string })[] = [
    { method: "HEAD" },
    { headers: { "Sec-Purpose": "prefetch;prerender" } },
    { headers: { Purpose: "prefetch" } },
    { headers: { "X-Purpose": "preview" } },
  ];
  for (const look of looks) {
    const { status, headers } = await open(house, shortUrl, userAgents.iphone, look);
    assert.equal([status, headers["x-log-position"]], [302, undefined]);
    assert.match(headers.location ?? "", /tl_click_id=/);
  }
  assert.is((await house.touchpoints()).length, before.length);
});

clicks("is a GET", async ({ house }) => {
  const { shortUrl } = await create(house, {});
  const { status, headers } = await open(house, shortUrl, userAgents.iphone, { method: "POST" });
  assert.equal([status, headers.allow], [405, "GET, HEAD"]);
});

clicks("on what is no link finds a page that says so", async ({ house }) => {
  const { link } = await create(house, { customShortId: "real-link" });
  const addresses = [
    `${house.baseUrl}/l/unknown`,
    `${house.baseUrl}/l/Real-Link`,
    `${house.baseUrl}/l/%00`,
    `${house.baseUrl}/l/a/b/c`,
    `${house.baseUrl}/l/`,
    `${house.baseUrl}/l/@shop/partner`,
    link.click.replace("@shop", "@other_shop"),
    link.click.replace("/partner", "/appier"),
    link.click.replace(/(template_id=.{20})..../, "$10000"),
  ];
  const before = house.seen.unresolved;
  for (const address of addresses) {
    const { status, headers } = await open(house, address);
    assert.equal([status, headers["content-type"]], [404, "text/html; charset=utf-8"], address);
  }
  assert.is(house.seen.unresolved - before, addresses.length);
});

clicks("on what is no link is none when somebody only looks ahead or looks at an ad", async ({ house }) => {
  const before = house.seen.unresolved;
  const unknown = `${house.baseUrl}/l/unknown`;
  const answers = [
    await open(house, unknown, userAgents.iphone, { method: "HEAD" }),
    await open(house, unknown, userAgents.iphone, { headers: { "Sec-Purpose": "prefetch" } }),
    await open(house, unknown, userAgents.iphone, { headers: { "X-Purpose": "preview" } }),
    await open(house, `${unknown}?ad_type=view`),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [404, 404, 404, 404],
  );
  assert.is(house.seen.unresolved, before);
});

clicks("leads to the plain page of the API where neither link nor app names anything", async ({ house }) => {
  const { shortUrl, link } = await create(house, {}, "bare_owner");
  for (const [address, userAgent] of [
    [shortUrl, userAgents.iphone],
    [link.click, userAgents.android],
    [link.click, userAgents.desktop],
  ] as const) {
    const { status, headers } = await open(house, address, userAgent);
    const [recorded] = (await house.touchpoints()).slice(-1);
    const openPage = `${house.baseUrl}/open?tl_click_id=${recorded?.data.touchpointId}`;
    assert.equal([status, headers.location, recorded?.data.destination], [302, openPage, openPage]);
    const page = await open(house, openPage, userAgent);
    assert.equal([page.status, page.text.startsWith("<!doctype html>")], [200, true]);
  }
});

const outage = house("while the event store is away");

outage("visitors of known links are sent on, and what is lost is told", async ({ house }) => {
  const { shortUrl, link } = await create(house, {});
  await open(house, shortUrl);
  await house.stopStore();
  const { status, headers } = await open(house, shortUrl);
  assert.equal([status, headers["x-log-position"], house.seen.lost.length], [302, undefined, 1]);
  assert.match(headers.location ?? "", /tl_click_id=/);
  assert.is((await open(house, link.serverToServerClick)).status, 503);
});

outage("visitors of links that nobody can look for are told to come again, servers by a problem", async ({ house }) => {
  await house.stopStore();
  const said = async (path: string) => {
    const { status, headers } = await open(house, `${house.baseUrl}/l/${path}`);
    return [status, headers["content-type"], headers["retry-after"], headers["cache-control"]];
  };
  assert.equal(
    [await said("another"), await said("s2s/@shop/partner?routing_short_id=another")],
    [
      [503, "text/html; charset=utf-8", "2", "no-store"],
      [503, "application/problem+json; charset=utf-8", "2", "no-store"],
    ],
  );
});

for (const tests of [clicks, outage]) tests.run();
