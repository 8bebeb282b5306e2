import * as assert from "uvu/assert";
import { linkSuite } from "../../support/link-application.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { refusalOf } from "../../support/short-faults.ts";
import { change, create, detail, open } from "../../support/visitor.ts";

const verbs = ["archive", "restore"] as const;

const archiving = linkSuite("POST archive and restore");

archiving("show in the detail at once, since when", async ({ application }) => {
  const { id } = await create(application, {});
  const archived = await change(application, "archive", id);
  const { archivedAt } = await detail(application, id);
  assert.match(String(archivedAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/);
  const restored = await change(application, "restore", id);
  assert.equal([archived.status, archived.json, restored.status, restored.json], [200, {}, 200, {}]);
  assert.ok(Number(restored.headers["x-log-position"]) > Number(archived.headers["x-log-position"]));
  assert.is((await detail(application, id)).archivedAt, null);
});

archiving("append nothing for a link that is so already", async ({ application }) => {
  const { id } = await create(application, {});
  const positionOf = async (verb: (typeof verbs)[number]) =>
    (await change(application, verb, id)).headers["x-log-position"];
  const created = await positionOf("restore");
  const archived = await positionOf("archive");
  assert.ok(Number(archived) > Number(created));
  assert.equal([await positionOf("archive"), await positionOf("archive")], [archived, archived]);
});

archiving("leave visitors, their clicks and every change as they are", async ({ application }) => {
  const { id, shortUrl, link } = await create(application, { deeplinkUrl: "https://shop.example/old" });
  await open(application, shortUrl);
  await change(application, "archive", id);
  const before = (await application.touchpoints()).length;
  for (const address of [shortUrl, link.click]) {
    const { status, headers } = await open(application, address);
    assert.equal([status, new URL(headers.location ?? "").pathname], [302, "/old"]);
  }
  assert.is((await application.touchpoints()).length, before + 2);
  assert.is((await application.lastTouchpoint()).data.source.trackingLinkId, id);
  await change(application, "routing", id, { body: { deeplinkUrl: "https://shop.example/new" } });
  assert.is(new URL((await open(application, shortUrl)).headers.location ?? "").pathname, "/new");
});

for (const verb of verbs) {
  archiving(`${verb} takes each idType of the query`, async ({ application }) => {
    const { id, shortId, trackingTemplateID } = await create(application, {});
    const answers = [
      await change(application, verb, id, { query: "?idType=id&other=1" }),
      await change(application, verb, shortId, { query: "?idType=shortId" }),
      await change(application, verb, trackingTemplateID, { query: "?idType=trackingTemplateId" }),
    ];
    assert.equal(statusesOf(answers), [200, 200, 200]);
  });

  archiving(`${verb} is 404 for a link that is unknown or of another app`, async ({ application }) => {
    const { id, shortId } = await create(application, {});
    const answers = [
      await change(application, verb, 7),
      await change(application, verb, shortId),
      await change(application, verb, id, { token: "other_owner" }),
    ];
    assert.equal(answers.map(refusalOf), Array(3).fill("404 TRACKING_LINK_NOT_FOUND"));
    const unknownType = await change(application, verb, id, { query: "?idType=name" });
    assert.is(refusalOf(unknownType), "422 VALIDATION_FAILED query.idType");
  });
}

archiving.run();
