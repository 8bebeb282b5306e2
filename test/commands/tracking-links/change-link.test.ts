import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { type Change, change, create, detail, open } from "../../support/visitor.ts";

const preview = { title: "Spring", description: "Sale", imageUrl: "https://shop.example/a.png" };
const changes = [
  ["og-tag", preview],
  ["routing", {}],
] as const;

const patching = linkSuite("PATCH og-tag and routing");

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
  patching(`${what} takes each idType; the query overrides the body`, async ({ application }) => {
    const { id, shortId, trackingTemplateID } = await create(application, {});
    const answers = [
      await change(application, what, id, { body }),
      await change(application, what, id, { query: "?idType=id&other=1", body: { ...body, idType: "shortId" } }),
      await change(application, what, shortId, { body: { ...body, idType: "shortId" } }),
      await change(application, what, shortId, { query: "?idType=shortId", body }),
      await change(application, what, trackingTemplateID, { body: { ...body, idType: "trackingTemplateId" } }),
      await change(application, what, trackingTemplateID, { query: "?idType=trackingTemplateId", body }),
    ];
    assert.equal(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    );
  });

  patching(
    `${what} is 404 for a link that is unknown, of another app, or named by another idType`,
    async ({ application }) => {
      const { id, shortId, trackingTemplateID } = await create(application, {});
      const answers = [
        await change(application, what, 7, { body }),
        await change(application, what, "seven", { body }),
        await change(application, what, id, { body, token: "other_owner" }),
        await change(application, what, shortId, { body }),
        await change(application, what, id, { query: "?idType=shortId", body: { ...body, idType: "id" } }),
        await change(application, what, shortId.toUpperCase(), { query: "?idType=shortId", body }),
        await change(application, what, `${trackingTemplateID.slice(0, 31)}g`, {
          query: "?idType=trackingTemplateId",
          body,
        }),
      ];
      assert.equal(
        answers.map(({ refusal }) => refusal),
        Array(7).fill([404, "TRACKING_LINK_NOT_FOUND", undefined]),
      );
    },
  );
}

const faults: readonly (readonly ["og-tag" | "routing", string, Change, readonly unknown[]])[] = [
  ["og-tag", "no JSON", { body: "{" }, [404, "INVALID_JSON", undefined]],
  ["og-tag", "no body", { body: "" }, [404, "INVALID_JSON", undefined]],
  [
    "og-tag",
    "a missing field",
    { body: { ...preview, title: undefined } },
    [404, "VALIDATION_FAILED", [["body", "title"]]],
  ],
  ["og-tag", "null", { body: { ...preview, title: null } }, [404, "VALIDATION_FAILED", [["body", "title"]]]],
  ["og-tag", "an unknown field", { body: { ...preview, a: 1 } }, [404, "VALIDATION_FAILED", [["body", "a"]]]],
  ["og-tag", "an idType", { body: { ...preview, idType: "a" } }, [404, "VALIDATION_FAILED", [["body", "idType"]]]],
  [
    "og-tag",
    "an app's image",
    { body: { ...preview, imageUrl: "a://b" } },
    [404, "VALIDATION_FAILED", [["body", "imageUrl"]]],
  ],
  ["routing", "no JSON", { body: "{" }, [400, "INVALID_JSON", undefined]],
  ["routing", "no body", { body: "" }, [400, "INVALID_JSON", undefined]],
  ["routing", "a list", { body: [] }, [422, "VALIDATION_FAILED", [["body"]]]],
  ["routing", "a number", { body: { deeplinkUrl: 1 } }, [422, "VALIDATION_FAILED", [["body", "deeplinkUrl"]]]],
  [
    "routing",
    "an unknown option",
    { body: { option: { a: "b" } } },
    [422, "VALIDATION_FAILED", [["body", "option", "a"]]],
  ],
  ["routing", "an idType", { query: "?idType=name" }, [422, "VALIDATION_FAILED", [["query", "idType"]]]],
  [
    "routing",
    "faults of shape and of meaning at once",
    { body: { deeplinkUrl: "//a", fallbackPaths: { ios: 1 }, colour: 1, option: { iosCustomProductPageId: "a" } } },
    [
      422,
      "VALIDATION_FAILED",
      [
        ["body", "colour"],
        ["body", "fallbackPaths", "ios"],
        ["body", "deeplinkUrl"],
      ],
    ],
  ],
  [
    "routing",
    "every invalid address",
    { body: { deeplinkUrl: "//a", fallbackPaths: { ios: "google-play", desktop: "b" } } },
    [
      422,
      "VALIDATION_FAILED",
      [
        ["body", "deeplinkUrl"],
        ["body", "fallbackPaths", "ios"],
        ["body", "fallbackPaths", "desktop"],
      ],
    ],
  ],
];
for (const [what, fault, sent, refusal] of faults) {
  patching(`${what} refuses ${fault}`, async ({ application }) => {
    const { id } = await create(application, {});
    assert.equal((await change(application, what, id, sent)).refusal, refusal);
  });
}

patching("refuses the stores that the app is not in", async ({ application }) => {
  const fallbackPaths = { ios: "itunes-appstore", desktop: "google-play" };
  const refusal = [
    422,
    "VALIDATION_FAILED",
    [
      ["body", "fallbackPaths", "ios"],
      ["body", "fallbackPaths", "desktop"],
    ],
  ];
  const { id } = await create(application, {}, "bare_owner");
  const changed = await change(application, "routing", id, { body: { fallbackPaths }, token: "bare_owner" });
  assert.equal(changed.refusal, refusal);
  const body = { channel: "partner", fallbackPaths };
  const { status, json } = await application.call("POST", "/v1/tracking-links", { body, token: "bare_owner" });
  const { code, errors } = json as { code: string; errors: readonly { loc: unknown }[] };
  assert.equal([status, code, errors.map(({ loc }) => loc)], refusal);
});

patching("routing of an unknown link is 404 before its addresses are validated", async ({ application }) => {
  const { refusal } = await change(application, "routing", 7, { body: { deeplinkUrl: "//evil" } });
  assert.equal(refusal, [404, "TRACKING_LINK_NOT_FOUND", undefined]);
});

patching.run();
