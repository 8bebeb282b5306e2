import * as assert from "uvu/assert";
import { campaignFields, campaignKeys } from "../../../domain/values/campaign-params.ts";
import { linkSuite } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const longest = linkSuite("the longest URLs of a link");

/** As many bytes in a URL as 256 characters can have. */
const shoes = "\u{1f45f}".repeat(256);
const campaignParams = Object.fromEntries(campaignKeys.map((key) => [key, shoes]));
const recordedParams = Object.fromEntries(campaignKeys.map((key) => [campaignFields[key], shoes]));

longest("are answered and recorded whole", async ({ application }) => {
  const { link } = await create(application, { campaignParams });
  const statuses = [];
  for (const url of [link.click, link.impression, link.serverToServerClick]) {
    assert.ok(url.length > campaignKeys.length * encodeURIComponent(shoes).length, `${url.length} characters`);
    statuses.push((await open(application, url)).status);
  }
  assert.equal(statuses, [302, 200, 200]);
  assert.equal(
    (await application.touchpoints()).map(({ data }) => [data.origin, data.source.campaignParams]),
    [
      ["redirect", recordedParams],
      ["view", recordedParams],
      ["server_to_server", recordedParams],
    ],
  );
});

longest.run();
