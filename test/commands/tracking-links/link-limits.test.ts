import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Application } from "../../support/application.ts";
import { startTestLog } from "../../support/event-store.ts";
import { startLinkProcess } from "../idempotency/link-processes.ts";

const limits = suite<{ process: Application; close: () => Promise<void> }>("limits of a link");

limits.before(async (context) => {
  const { log, close } = await startTestLog();
  context.process = await startLinkProcess(log);
  context.close = async () => {
    await context.process.close();
    await close();
  };
});
limits.after(({ close }) => close());

const shoe = "\u{1f45f}";
const shortest = "https://shop.example/";
const web = (length: number): string => shortest.padEnd(length, "a");
const campaignKeys = [
  ...["campaign", "ad_group", "ad_creative", "content", "term", "sub_id", "sub_id_1", "sub_id_2", "sub_id_3"],
  ...["campaign_id", "ad_group_id", "ad_creative_id", "term_id"],
];
let drawn = 0;
/** A short id that no other test has. */
const shortId = (length: number): string => {
  drawn += 1;
  return `${drawn}`.padStart(3, "0").padEnd(length, "x").slice(-Math.max(length, 0));
};

/** Each row: what has a length, the shortest and the longest that it may have, the link that has it. */
const rows: readonly (readonly [string, number, number, (length: number) => object])[] = [
  ["a channel", 1, 256, (length) => ({ channel: "x".repeat(length) })],
  ["a channel in characters of two units", 1, 256, (length) => ({ channel: shoe.repeat(length) })],
  ...campaignKeys.map(
    (key) => [`${key}`, 1, 256, (length: number) => ({ campaignParams: { [key]: shoe.repeat(length) } })] as const,
  ),
  ["customShortId", 3, 64, (length) => ({ customShortId: shortId(length) })],
  ["the scheme of an app", 2, 31, (length) => ({ deeplinkUrl: `${"s".repeat(length)}://sale` })],
  ["deeplinkUrl", shortest.length, 2_048, (length) => ({ deeplinkUrl: web(length) })],
  ["fallbackPaths.ios", shortest.length, 2_048, (length) => ({ fallbackPaths: { ios: web(length) } })],
  ["fallbackPaths.android", shortest.length, 2_048, (length) => ({ fallbackPaths: { android: web(length) } })],
  ["fallbackPaths.desktop", shortest.length, 2_048, (length) => ({ fallbackPaths: { desktop: web(length) } })],
  ["ogTag.imageUrl", shortest.length, 2_048, (length) => ({ ogTag: { imageUrl: web(length) } })],
  ["ogTag.title", 0, 256, (length) => ({ ogTag: { title: "a".repeat(length) } })],
  ["ogTag.description", 0, 1_024, (length) => ({ ogTag: { description: "a".repeat(length) } })],
  ...["iosCustomProductPageId", "androidCustomStoreListing"].map(
    (key) =>
      [`${key}`, 1, 256, (length: number) => ({ fallbackPaths: { option: { [key]: "a".repeat(length) } } })] as const,
  ),
];

for (const [what, shortestLength, longest, link] of rows) {
  limits(`${what}: ${shortestLength} to ${longest} characters`, async ({ process }) => {
    const statusOf = async (length: number): Promise<number> => {
      const body = { channel: "x", ...link(length) };
      return (await process.call("POST", "/v1/tracking-links", { token: "link", body })).status;
    };
    // A web address is never shorter than its host.
    const hasShorter = shortestLength > 0 && shortestLength !== shortest.length;
    const shorter = hasShorter ? await statusOf(shortestLength - 1) : 422;
    assert.equal([shorter, await statusOf(shortestLength), await statusOf(shortestLength + 1)], [422, 200, 200]);
    assert.equal([await statusOf(longest - 1), await statusOf(longest), await statusOf(longest + 1)], [200, 200, 422]);
  });
}

limits.run();
