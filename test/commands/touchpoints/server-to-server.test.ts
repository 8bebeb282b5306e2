import { suite } from "uvu";
import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { type LinkHouse, startLinkHouse } from "../../http/link-house.ts";
import { create, open } from "../../http/visitor.ts";

const serverClicks = suite<{ house: LinkHouse }>("a click that a server reports (D4.7)");

serverClicks.before(async (context) => {
  context.house = await startLinkHouse();
});
serverClicks.after(({ house }) => house.close());

serverClicks("is one click however often it is reported", async ({ house }) => {
  const { link } = await create(house, {});
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const person = `ip=203.0.113.9&user_agent=${encodeURIComponent(userAgents.android)}`;
  const url = `${link.serverToServerClick}&click_id=partner-1&click_timestamp=${at}&${person}`;
  const answers = [
    await open(house, url, "partner-server/1.0"),
    await open(house, url, "partner-server/1.0", { method: "POST" }),
  ];
  const [{ clickId }, again] = answers.map(({ json }) => json) as [{ clickId: string }, unknown];
  assert.match(clickId, /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
  assert.equal([answers.map(({ status }) => status), again], [[200, 200], { clickId }]);
  const recorded = await house.touchpoints();
  const { data } = recorded[0] ?? { data: null };
  assert.equal(
    [data?.touchpointId, data?.at, data?.origin, data?.verdict],
    [clickId, at, "server_to_server", { human: true }],
  );
  assert.equal([data?.os, data?.osVersion, data?.person.ip, data?.destination], ["Android", "15", "203.0.113.9", null]);
  assert.is(new Set(recorded.map(({ id }) => id)).size, 2);
});

serverClicks("may lie a day back, not more, and not ahead", async ({ house }) => {
  const { link } = await create(house, {});
  const at = (hours: number) => `${link.serverToServerClick}&click_timestamp=${Date.now() + hours * 3_600_000}`;
  const answers = [
    await open(house, at(-23.99)),
    await open(house, at(-24.01)),
    await open(house, at(1)),
    await open(house, `${at(0)}x`),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [200, 400, 400, 400],
  );
});

serverClicks("is refused when its text may not be sent, or its click id cannot be kept", async ({ house }) => {
  const { link } = await create(house, {});
  const before = (await house.touchpoints()).length;
  const refused: readonly (readonly [string, string])[] = [
    ["click_id=%00", "click_id"],
    ["click_id=%ED%A0%80", "click_id"],
    ["click_id=%ff", "click_id"],
    [`click_id=${"a".repeat(257)}`, "click_id"],
    ["sub_id=%00", "sub_id"],
    ["click_timestamp=%00", "click_timestamp"],
    [`click_timestamp=${"1".repeat(70)}`, "click_timestamp"],
  ];
  for (const [parameter, name] of refused) {
    const { status, json } = await open(house, `${link.serverToServerClick}&${parameter}`);
    const { errors } = json as { readonly errors: readonly { readonly loc: unknown }[] };
    assert.equal([status, errors.map(({ loc }) => loc)], [400, [["query", name]]], parameter);
  }
  assert.is((await house.touchpoints()).length, before);
});

serverClicks("has a click id of up to 256 characters, however they are encoded", async ({ house }) => {
  const { link } = await create(house, {});
  for (const clickId of ["a".repeat(256), "\u{1F600}".repeat(256)]) {
    const url = `${link.serverToServerClick}&click_id=${encodeURIComponent(clickId)}`;
    const { json } = await open(house, url);
    assert.match((json as { clickId: string }).clickId, /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
  }
});

serverClicks("on what is no link is a problem", async ({ house }) => {
  const { status, headers } = await open(house, `${house.baseUrl}/l/s2s/@shop/partner?routing_short_id=nothing`);
  assert.equal([status, headers["content-type"]], [404, "application/problem+json; charset=utf-8"]);
});

serverClicks.run();
