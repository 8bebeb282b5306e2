import * as assert from "uvu/assert";
import { aLink } from "../../examples/tracking-links.ts";
import { type LinkApplication, linkSuite } from "../../support/link-application.ts";
import { refusalOf } from "../../support/short-faults.ts";

const creating = linkSuite("POST /v1/tracking-links");

interface Created {
  readonly data: { readonly trackingLink: { readonly [field: string]: unknown; readonly shortId: string } };
}

async function create({ call }: LinkApplication, body: unknown, token = "link") {
  const answer = await call("POST", "/v1/tracking-links", { token, body });
  return { ...answer, link: answer.status === 200 ? (answer.json as Created).data.trackingLink : null };
}

creating("responds with the ids and addresses of the link", async ({ application }) => {
  const { linkId, templateId } = aLink({ shortId: "first-link" }).data;
  const campaignParams = { campaign: "spring", ad_group: "shoes" };
  const { status, headers, link } = await create(application, {
    channel: "appier",
    campaignParams,
    customShortId: "first-link",
  });
  const query = `tracking_template_id=${templateId}&routing_short_id=first-link`;
  const campaign = "campaign=spring&ad_group=shoes";
  assert.is(status, 200);
  assert.match(String(headers["x-log-position"]), /^\d+$/);
  assert.equal(link, {
    id: linkId,
    channelType: "integrated",
    link: {
      click: `${application.baseUrl}/l/@shop/appier?${query}&ad_type=click&${campaign}`,
      impression: `${application.baseUrl}/l/@shop/appier?${query}&ad_type=view&${campaign}`,
      serverToServerClick: `${application.baseUrl}/l/s2s/@shop/appier?${query}&ad_type=click&${campaign}`,
    },
    shortId: "first-link",
    shortURL: `${application.baseUrl}/l/first-link`,
    shortUrl: `${application.baseUrl}/l/first-link`,
    trackingTemplateID: templateId,
  });
});

creating("draws a short id without a custom one", async ({ application }) => {
  const [one, two] = await Promise.all([create(application, { channel: "x" }), create(application, { channel: "x" })]);
  for (const { link } of [one, two]) assert.match(link?.shortId ?? "", /^[2-9a-hjkmnp-z]{7}$/);
  assert.is.not(one.link?.shortId, two.link?.shortId);
  assert.is(one.link?.channelType, "custom");
});

creating("gives a custom short id to one of many concurrent requests", async ({ application }) => {
  const body = { channel: "x", customShortId: "wanted" };
  const answers = await Promise.all(
    ["link", "owner", "agency", "other_owner", "link"].map((token) => create(application, body, token)),
  );
  const taken = Array(4).fill("422 SHORT_ID_TAKEN body.customShortId");
  assert.equal(answers.map(refusalOf).sort(), ["200", ...taken]);
});

const allInvalid = {
  deeplinkUrl: "//evil",
  fallbackPaths: { ios: "evil", desktop: "ftp://evil" },
  ogTag: { imageUrl: "a" },
};
for (const [what, body, locations] of [
  ["no channel", {}, "body.channel"],
  ["a body that is not an object", [], "body"],
  ["an unknown field", { channel: "x", colour: "red" }, "body.colour"],
  ["a reserved channel", { channel: "organic" }, "body.channel"],
  ["a channel with surrounding white space", { channel: " x" }, "body.channel"],
  ["a channel that is too long", { channel: "x".repeat(257) }, "body.channel"],
  ["an unknown campaign parameter", { channel: "x", campaignParams: { adGroup: "a" } }, "body.campaignParams.adGroup"],
  ["an empty campaign parameter", { channel: "x", campaignParams: { term: "" } }, "body.campaignParams.term"],
  ["another kind of re-engagement", { channel: "x", isReengagement: true }, "body.isReengagement"],
  ["an invalid short id", { channel: "x", customShortId: "-a" }, "body.customShortId"],
  ["U+0000", { channel: "x", deeplinkUrl: "shop://\u0000" }, "body.deeplinkUrl"],
  [
    "every invalid destination",
    { channel: "x", ...allInvalid },
    "body.deeplinkUrl body.fallbackPaths.ios body.fallbackPaths.desktop body.ogTag.imageUrl",
  ],
] as const) {
  creating(`rejects ${what}`, async ({ application }) => {
    assert.is(refusalOf(await create(application, body)), `422 VALIDATION_FAILED ${locations}`);
  });
}

creating.run();
