import * as assert from "uvu/assert";
import { linkSuite } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const many = linkSuite("a link's URL with very many parameters");

/** The address with so many parameters before its own that it has `count` of them. */
function ofParameters(count: number, address: string): string {
  const [path = "", own = ""] = address.split("?");
  return `${path}?${"a&".repeat(count - own.split("&").length)}${own}`;
}

/** The last of them in 64 KiB, which is all that headers may have. */
const counts = [999, 1_000, 1_001, 30_000];

for (const count of counts) {
  many(`is read to its end: ${count}`, async ({ application }) => {
    const { link, shortUrl } = await create(application, {});
    const { search, pathname } = new URL(link.click);
    const named = new URLSearchParams(search);
    const byShortId = `${application.baseUrl}${pathname}?routing_short_id=${named.get("routing_short_id")}`;
    const clicks = [link.click, byShortId, `${shortUrl}?ad_type=click`];
    const statuses = [];
    for (const address of clicks) {
      statuses.push((await open(application, ofParameters(count, `${address}&sub_id=last`))).status);
    }
    statuses.push((await open(application, ofParameters(count, link.impression))).status);
    assert.equal(statuses, [302, 302, 302, 200]);
    assert.equal(
      (await application.touchpoints()).slice(-4).map(({ type, data }) => [type, data.source.campaignParams]),
      [...Array(3).fill(["ClickRecorded", { subId: "last" }]), ["ImpressionRecorded", {}]],
    );
  });

  many(`is the same click when a server reports it again: ${count}`, async ({ application }) => {
    const { link } = await create(application, {});
    const address = ofParameters(count, `${link.serverToServerClick}&click_id=of-${count}`);
    const answers = [await open(application, address), await open(application, address)];
    const [{ clickId } = { clickId: "" }] = answers.map(({ json }) => json as { readonly clickId: string });
    assert.match(clickId, /^[0-9a-f-]{14}8/);
    assert.equal(
      answers.map(({ status, json }) => [status, json]),
      Array(2).fill([200, { clickId }]),
    );
    const [recorded] = (await application.touchpoints()).slice(-1);
    assert.is(recorded?.data.person.partnerClickId, `of-${count}`);
  });
}

many.run();
