import * as assert from "uvu/assert";
import { type LinkApplication, linkSuite } from "../../support/link-application.ts";
import { refusalOf } from "../../support/short-faults.ts";
import { type Change, change, create, detail, open } from "../../support/visitor.ts";

const patching = linkSuite("PATCH /v1/tracking-links/{id}");

const rename = (application: LinkApplication, id: string | number, campaignParams: unknown, more: Change = {}) =>
  change(application, "", id, { body: { campaignParams }, ...more });

patching("gives new clicks the new parameters, and keeps those of clicks before", async ({ application }) => {
  const campaignParams = { campaign: "spring", ad_group: "shoes", sub_id_1: "a" };
  const { id, shortUrl, link } = await create(application, { campaignParams });
  const before = (await application.touchpoints()).length;
  await open(application, shortUrl);
  const changed = await rename(application, id, { campaign: "summer", ad_group: null, term: "t" });
  assert.equal([changed.status, changed.json], [200, {}]);
  await open(application, shortUrl);
  // The address that was given out names its own.
  await open(application, link.click);
  const recorded = (await application.touchpoints()).slice(before).map(({ data }) => data.source.campaignParams);
  const summer = { campaign: "summer", subId1: "a", term: "t" };
  assert.equal(recorded, [
    { campaign: "spring", adGroup: "shoes", subId1: "a" },
    summer,
    { ...summer, campaign: "spring", adGroup: "shoes" },
  ]);
});

patching("shows in the detail and its addresses at once", async ({ application }) => {
  const { id } = await create(application, { campaignParams: { campaign: "spring", term: "t" } });
  await rename(application, id, { campaign: "summer", campaign_id: "7", term: null });
  const { campaignParams, link } = (await detail(application, id)) as {
    campaignParams: { [field: string]: unknown };
    link: { click: string };
  };
  assert.equal([campaignParams.campaign, campaignParams.term], ["summer", null]);
  const address = new URL(link.click).searchParams;
  assert.equal([address.get("campaign"), address.get("campaign_id"), address.get("term")], ["summer", "7", null]);
  await rename(application, id, null);
  assert.is(((await detail(application, id)).campaignParams as typeof campaignParams).campaign, null);
});

patching("appends nothing for an empty request or the same parameters", async ({ application }) => {
  const { id } = await create(application, { campaignParams: { campaign: "spring" } });
  const positions = [
    await change(application, "", id),
    await rename(application, id, {}),
    await rename(application, id, { campaign: "spring", term: null }),
  ].map(({ status, headers }) => [status, headers["x-log-position"]]);
  assert.equal(positions, Array(3).fill([200, positions[0]?.[1]]));
});

for (const [fault, campaignParams, refusal] of [
  ["a number", { campaign: 1 }, "campaignParams.campaign"],
  ["an empty text", { campaign: "" }, "campaignParams.campaign"],
  ["257 characters", { term: "t".repeat(257) }, "campaignParams.term"],
  ["an unknown parameter", { campaignName: "a" }, "campaignParams.campaignName"],
  ["a list", [], "campaignParams"],
] as const) {
  patching(`rejects ${fault}`, async ({ application }) => {
    const { id } = await create(application, {});
    assert.is(refusalOf(await rename(application, id, campaignParams)), `422 VALIDATION_FAILED body.${refusal}`);
  });
}

patching("accepts 255 and 256 characters, and rejects unknown fields", async ({ application }) => {
  const { id } = await create(application, {});
  for (const length of [255, 256]) {
    assert.is((await rename(application, id, { term: "t".repeat(length) })).status, 200);
  }
  const renamed = await change(application, "", id, { body: { channel: "other" } });
  assert.is(refusalOf(renamed), "422 VALIDATION_FAILED body.channel");
});

patching.run();
