import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type LinkHouse, startLinkHouse } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const many = suite<{ house: LinkHouse }>("a link's URL with very many parameters");

many.before(async (context) => {
  context.house = await startLinkHouse();
});
many.after(({ house }) => house.close());

/** The address with so many parameters before its own that it has `count` of them. */
function ofParameters(count: number, address: string): string {
  const [path = "", own = ""] = address.split("?");
  return `${path}?${"a&".repeat(count - own.split("&").length)}${own}`;
}

/** The last of them in 64 KiB, which is all that headers may have. */
const counts = [999, 1_000, 1_001, 30_000];

for (const count of counts) {
  many(`is read to its end: ${count}`, async ({ house }) => {
    const { link, shortUrl } = await create(house, {});
    const { search, pathname } = new URL(link.click);
    const named = new URLSearchParams(search);
    const byShortId = `${house.baseUrl}${pathname}?routing_short_id=${named.get("routing_short_id")}`;
    const clicks = [link.click, byShortId, `${shortUrl}?ad_type=click`];
    const statuses = [];
    for (const address of clicks) {
      statuses.push((await open(house, ofParameters(count, `${address}&sub_id=last`))).status);
    }
    statuses.push((await open(house, ofParameters(count, link.impression))).status);
    assert.equal(statuses, [302, 302, 302, 200]);
    assert.equal(
      (await house.touchpoints()).slice(-4).map(({ type, data }) => [type, data.source.campaignParams]),
      [...Array(3).fill(["ClickRecorded", { subId: "last" }]), ["ImpressionRecorded", {}]],
    );
  });

  many(`is the same click when a server reports it again: ${count}`, async ({ house }) => {
    const { link } = await create(house, {});
    const address = ofParameters(count, `${link.serverToServerClick}&click_id=of-${count}`);
    const answers = [await open(house, address), await open(house, address)];
    const [{ clickId } = { clickId: "" }] = answers.map(({ json }) => json as { readonly clickId: string });
    assert.match(clickId, /^[0-9a-f-]{14}8/);
    assert.equal(
      answers.map(({ status, json }) => [status, json]),
      Array(2).fill([200, { clickId }]),
    );
    const [recorded] = (await house.touchpoints()).slice(-1);
    assert.is(recorded?.data.person.partnerClickId, `of-${count}`);
  });
}

many.run();
