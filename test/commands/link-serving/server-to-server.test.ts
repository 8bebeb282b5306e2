import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite, startLinkApplication } from "../../support/link-application.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { refusalOf } from "../../support/short-faults.ts";
import { create, open, prefetches } from "../../support/visitor.ts";

const serverClicks = linkSuite("a server-to-server click");

serverClicks("is one click however often it is reported", async ({ application }) => {
  const { link } = await create(application, {});
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const person = `ip=203.0.113.9&user_agent=${encodeURIComponent(userAgents.android)}`;
  const url = `${link.serverToServerClick}&click_id=partner-1&click_timestamp=${at}&${person}`;
  const answers = [
    await open(application, url, "partner-server/1.0"),
    await open(application, url, "partner-server/1.0", { method: "POST" }),
  ];
  const [{ clickId }, again] = answers.map(({ json }) => json) as [{ clickId: string }, unknown];
  assert.match(clickId, /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
  assert.equal([answers.map(({ status }) => status), again], [[200, 200], { clickId }]);
  const recorded = await application.touchpoints();
  const { data } = recorded[0] ?? { data: null };
  assert.equal(
    [data?.touchpointId, data?.at, data?.origin, data?.verdict],
    [clickId, at, "server_to_server", { human: true }],
  );
  assert.equal([data?.os, data?.osVersion, data?.person.ip, data?.destination], ["Android", "15", "203.0.113.9", null]);
  assert.is(new Set(recorded.map(({ id }) => id)).size, 2);
});

serverClicks("that the journal has no place for is refused with 503", async () => {
  const full = await startLinkApplication({ maxWaitingEvents: 0 });
  const { link } = await create(full, {});
  const { status, json, headers } = await open(full, link.serverToServerClick);
  assert.equal([status, (json as { readonly code: string }).code, headers["retry-after"]], [503, "OVERLOADED", "1"]);
  await full.close();
});

serverClicks("has an id derived from app, channel and the partner's click id", async ({ application }) => {
  const idOf = async (channel: string, partnerClickId: string, token?: string): Promise<string> => {
    const { link } = await create(application, { channel }, token);
    const { json } = await open(application, `${link.serverToServerClick}&click_id=${partnerClickId}`);
    return (json as { clickId: string }).clickId;
  };
  assert.equal(
    [
      await idOf("partner", "p-1"),
      await idOf("partner", "p-1"),
      await idOf("partner", "p-2"),
      await idOf("another", "p-1"),
      await idOf("partner", "p-1", "other_owner"),
    ],
    [
      "6445783f-3af0-81f7-bd54-6ae30f9c063e",
      "6445783f-3af0-81f7-bd54-6ae30f9c063e",
      "fea91e70-1450-8cf2-9d93-20e867338dfa",
      "502c9d5f-f2cc-84d3-9335-f802b8678e09",
      "3aef8839-50b4-8223-a7ee-cd85a47e95d0",
    ],
  );
});

serverClicks("of a prefetch gets the usual response and is not recorded", async ({ application }) => {
  const { link } = await create(application, {});
  const url = `${link.serverToServerClick}&click_id=partner-9`;
  const before = (await application.touchpoints()).length;
  const seen = [];
  for (const look of prefetches) {
    for (const method of ["GET", "POST"]) {
      const { status, json, headers } = await open(application, url, "partner-server/1.0", { ...look, method });
      seen.push([status, json, headers["x-log-position"], headers["cache-control"]]);
    }
    const refused = await open(application, `${url}&click_timestamp=x`, "partner-server/1.0", look);
    assert.is(refused.status, 400);
    const unnamed = await open(application, link.serverToServerClick, "partner-server/1.0", look);
    assert.match((unnamed.json as { clickId: string }).clickId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  }
  assert.is((await application.touchpoints()).length, before);
  const real = await open(application, url, "partner-server/1.0");
  assert.equal(seen, Array(2 * prefetches.length).fill([200, real.json, undefined, "no-store"]));
  assert.is((await application.touchpoints()).length, before + 1);
});

serverClicks("is at most a day old, and not in the future", async ({ application }) => {
  const { link } = await create(application, {});
  const at = (hours: number) => `${link.serverToServerClick}&click_timestamp=${Date.now() + hours * 3_600_000}`;
  const answers = [
    await open(application, at(-23.99)),
    await open(application, at(-24.01)),
    await open(application, at(1)),
    await open(application, `${at(0)}x`),
  ];
  assert.equal(statusesOf(answers), [200, 400, 400, 400]);
  // The clocks of servers differ.
  const sentAt = Date.now();
  assert.is((await open(application, at(0.1))).status, 200);
  const recordedAt = Date.parse((await application.touchpoints()).at(-1)?.data.at ?? "");
  assert.ok(sentAt <= recordedAt && recordedAt <= Date.now());
});

serverClicks("is rejected with invalid text or an invalid click id", async ({ application }) => {
  const { link } = await create(application, {});
  const before = (await application.touchpoints()).length;
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
    const answer = await open(application, `${link.serverToServerClick}&${parameter}`);
    assert.is(refusalOf(answer), `400 VALIDATION_FAILED query.${name}`, parameter);
  }
  assert.is((await application.touchpoints()).length, before);
});

serverClicks("has a click id of up to 256 characters, however they are encoded", async ({ application }) => {
  const { link } = await create(application, {});
  for (const clickId of ["a".repeat(256), "\u{1F600}".repeat(256)]) {
    const url = `${link.serverToServerClick}&click_id=${encodeURIComponent(clickId)}`;
    const { json } = await open(application, url);
    assert.match((json as { clickId: string }).clickId, /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
  }
});

serverClicks("on an unknown link is a problem, counted unless it is a prefetch", async ({ application }) => {
  const url = `${application.baseUrl}/l/s2s/@shop/partner?routing_short_id=nothing`;
  const before = application.seen.unresolved;
  const answers = [
    await open(application, url),
    await open(application, url, "partner-server/1.0", { method: "POST" }),
    await open(application, url, "partner-server/1.0", prefetches[0]),
  ];
  for (const { status, headers } of answers)
    assert.equal([status, headers["content-type"]], [404, "application/problem+json; charset=utf-8"]);
  assert.is(application.seen.unresolved, before + 2);
});

serverClicks.run();
