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
    await open(house, at(-23)),
    await open(house, at(-25)),
    await open(house, at(1)),
    await open(house, `${at(0)}x`),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [200, 400, 400, 400],
  );
});

serverClicks("on what is no link is a problem", async ({ house }) => {
  const { status, headers } = await open(house, `${house.baseUrl}/l/s2s/@shop/partner?routing_short_id=nothing`);
  assert.equal([status, headers["content-type"]], [404, "application/problem+json; charset=utf-8"]);
});

serverClicks.run();
