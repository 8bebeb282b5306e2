import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { refusalOf } from "../../support/short-faults.ts";
import { type Change, change, create, detail, open } from "../../support/visitor.ts";

const preview = { title: "Spring", description: "Sale", imageUrl: "https://shop.example/a.png" };
/** The last segments of their paths; that of campaign parameters has none. */
const changes = [
  ["og-tag", preview],
  ["routing", {}],
  ["", {}],
] as const;

const patching = linkSuite("PATCH of a link");

patching("are visible in the detail and to visitors at once", async ({ application }) => {
  const { id, shortUrl } = await create(application, { deeplinkUrl: "https://shop.example/old" });
  await open(application, shortUrl);
  const tagged = await change(application, "og-tag", id, { body: preview });
  const fallbackPaths = { desktop: "google-play" };
  const option = { androidCustomStoreListing: "listing" };
  const body = { deeplinkUrl: "https://shop.example/new", fallbackPaths, option };
  const routed = await change(application, "routing", id, { body });
  assert.equal([tagged.status, tagged.json, routed.status, routed.json], [200, {}, 200, {}]);
  assert.ok(Number(routed.headers["x-log-position"]) > Number(tagged.headers["x-log-position"]));
  const data = await detail(application, id);
  assert.equal([data.ogTag, data.deeplinkUrl], [preview, "https://shop.example/new"]);
  assert.equal(data.fallbackPaths, {
    ios: "itunes-appstore",
    android: "google-play",
    desktop: "google-play",
    option: { iosCustomProductPageId: null, androidCustomStoreListing: "listing" },
  });
  assert.match((await open(application, shortUrl)).headers.location ?? "", /^https:\/\/shop\.example\/new\?/);
  const desktop = (await open(application, shortUrl, userAgents.desktop)).headers.location ?? "";
  assert.is(new URL(desktop).searchParams.get("listing"), "listing");
});

patching("clear all fallbacks and options by null", async ({ application }) => {
  const option = { iosCustomProductPageId: "page", androidCustomStoreListing: "listing" };
  const { id } = await create(application, { fallbackPaths: { desktop: "https://shop.example/sale", option } });
  assert.is((await change(application, "routing", id, { body: { option: null } })).status, 200);
  const noOption = { iosCustomProductPageId: null, androidCustomStoreListing: null };
  const { fallbackPaths } = await detail(application, id);
  const stores = { ios: "itunes-appstore", android: "google-play" };
  assert.equal(fallbackPaths, { ...stores, desktop: "https://shop.example/sale", option: noOption });
  assert.is((await change(application, "routing", id, { body: { fallbackPaths: null } })).status, 200);
  const cleared = await detail(application, id);
  assert.equal(cleared.fallbackPaths, { ...stores, desktop: "https://shop.example/", option: noOption });
});

patching("append no event for an empty routing or an unchanged link", async ({ application }) => {
  const { id } = await create(application, { deeplinkUrl: "shop://sale", ogTag: preview });
  const positions = [
    await change(application, "routing", id),
    await change(application, "routing", id, { body: { deeplinkUrl: "shop://sale", fallbackPaths: {}, option: {} } }),
    await change(application, "og-tag", id, { body: preview }),
  ].map(({ status, headers }) => [status, headers["x-log-position"]]);
  assert.equal(positions, Array(3).fill(positions[0]));
  assert.is(positions[0]?.[0], 200);
});

for (const [what, body] of changes) {
  patching(`${what || "campaignParams"} takes each idType; the query overrides the body`, async ({ application }) => {
    const { id, shortId, trackingTemplateID } = await create(application, {});
    const answers = [
      await change(application, what, id, { body }),
      await change(application, what, id, { query: "?idType=id&other=1", body: { ...body, idType: "shortId" } }),
      await change(application, what, shortId, { body: { ...body, idType: "shortId" } }),
      await change(application, what, shortId, { query: "?idType=shortId", body }),
      await change(application, what, trackingTemplateID, { body: { ...body, idType: "trackingTemplateId" } }),
      await change(application, what, trackingTemplateID, { query: "?idType=trackingTemplateId", body }),
    ];
    assert.equal(statusesOf(answers), Array(6).fill(200));
  });

  patching(
    `${what || "campaignParams"} is 404 for a link that is unknown, of another app, or named by another idType`,
    async ({ application }) => {
      const { id, shortId, trackingTemplateID } = await create(application, {});
      const otherTemplate = `${trackingTemplateID.slice(0, 31)}g`;
      const answers = [
        await change(application, what, 7, { body }),
        await change(application, what, "seven", { body }),
        await change(application, what, id, { body, token: "other_owner" }),
        await change(application, what, shortId, { body }),
        await change(application, what, id, { query: "?idType=shortId", body: { ...body, idType: "id" } }),
        await change(application, what, shortId.toUpperCase(), { query: "?idType=shortId", body }),
        await change(application, what, otherTemplate, { query: "?idType=trackingTemplateId", body }),
      ];
      assert.equal(answers.map(refusalOf), Array(7).fill("404 TRACKING_LINK_NOT_FOUND"));
    },
  );
}

const invalid = { "og-tag": "404 VALIDATION_FAILED", routing: "422 VALIDATION_FAILED" };
const everyFault = {
  deeplinkUrl: "//a",
  fallbackPaths: { ios: 1 },
  colour: 1,
  option: { iosCustomProductPageId: "a" },
};
const badAddresses = { deeplinkUrl: "//a", fallbackPaths: { ios: "google-play", desktop: "b" } };

for (const [what, fault, sent, refusal] of [
  ["og-tag", "no JSON", { body: "{" }, "404 INVALID_JSON"],
  ["og-tag", "no body", { body: "" }, "404 INVALID_JSON"],
  ["og-tag", "a missing field", { body: { ...preview, title: undefined } }, `${invalid["og-tag"]} body.title`],
  ["og-tag", "null", { body: { ...preview, title: null } }, `${invalid["og-tag"]} body.title`],
  ["og-tag", "an unknown field", { body: { ...preview, a: 1 } }, `${invalid["og-tag"]} body.a`],
  ["og-tag", "an unknown idType", { body: { ...preview, idType: "a" } }, `${invalid["og-tag"]} body.idType`],
  ["og-tag", "an image in an app", { body: { ...preview, imageUrl: "a://b" } }, `${invalid["og-tag"]} body.imageUrl`],
  ["routing", "no JSON", { body: "{" }, "400 INVALID_JSON"],
  ["routing", "no body", { body: "" }, "400 INVALID_JSON"],
  ["routing", "a list", { body: [] }, `${invalid.routing} body`],
  ["routing", "a number", { body: { deeplinkUrl: 1 } }, `${invalid.routing} body.deeplinkUrl`],
  ["routing", "an unknown option", { body: { option: { a: "b" } } }, `${invalid.routing} body.option.a`],
  ["routing", "an unknown idType", { query: "?idType=name" }, `${invalid.routing} query.idType`],
  [
    "routing",
    "faults of shape and of meaning at once",
    { body: everyFault },
    `${invalid.routing} body.colour body.fallbackPaths.ios body.deeplinkUrl`,
  ],
  [
    "routing",
    "every invalid address",
    { body: badAddresses },
    `${invalid.routing} body.deeplinkUrl body.fallbackPaths.ios body.fallbackPaths.desktop`,
  ],
] as const satisfies readonly (readonly ["og-tag" | "routing", string, Change, string])[]) {
  patching(`${what} rejects ${fault}`, async ({ application }) => {
    const { id } = await create(application, {});
    assert.is(refusalOf(await change(application, what, id, sent)), refusal);
  });
}

patching("rejects fallbacks to stores that the app is not in", async ({ application }) => {
  const fallbackPaths = { ios: "itunes-appstore", desktop: "google-play" };
  const { id } = await create(application, {}, "bare_owner");
  const token = "bare_owner";
  const body = { channel: "partner", fallbackPaths };
  for (const answer of [
    await change(application, "routing", id, { body: { fallbackPaths }, token }),
    await application.call("POST", "/v1/tracking-links", { body, token }),
  ]) {
    assert.is(refusalOf(answer), `${invalid.routing} body.fallbackPaths.ios body.fallbackPaths.desktop`);
  }
});

patching("routing of an unknown link is 404 once its addresses are valid", async ({ application }) => {
  for (const id of [7, "no-id"]) {
    const answer = await change(application, "routing", id, { body: { deeplinkUrl: "//evil" } });
    assert.is(refusalOf(answer), "422 VALIDATION_FAILED body.deeplinkUrl");
    const sound = await change(application, "routing", id, { body: { deeplinkUrl: "https://shop.example/" } });
    assert.is(refusalOf(sound), "404 TRACKING_LINK_NOT_FOUND");
  }
});

patching("name the faults of the query and of the addresses together", async ({ application }) => {
  const answer = await change(application, "routing", 7, { query: "?idType=x", body: { deeplinkUrl: "javascript:1" } });
  assert.is(refusalOf(answer), "422 VALIDATION_FAILED query.idType body.deeplinkUrl");
});

patching.run();
