import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLinkBody } from "../../../commands/tracking-links/schemas.ts";
import { isChannelName } from "../../../domain/channels/channel-name.ts";
import { type LinkRequest, linkFaults } from "../../../domain/tracking-links/link-request.ts";
import { campaignKeys } from "../../../domain/values/campaign-params.ts";
import { compileValidator } from "../../../infra/http/request/validation.ts";

const limits = suite("length limits of a link");

const shapeFaults = compileValidator(createLinkBody, "body");
function isAccepted(link: object): boolean {
  const body = { channel: "x", ...link };
  return (
    shapeFaults(body).length === 0 && isChannelName(body.channel) && linkFaults(body as LinkRequest, []).length === 0
  );
}

const shoe = "\u{1f45f}";
const shortestUrl = "https://shop.example/";
const url = (length: number): string => (length < shortestUrl.length ? "" : shortestUrl.padEnd(length, "a"));
const shoes = (length: number): string => (length < 8 ? "" : `shop://${shoe.repeat(length - 7)}`);
const text = (length: number): string => "a".repeat(length);

/** Each row: the field, its minimum and maximum length, and a link whose field has a given length. */
const rows: readonly (readonly [string, number, number, (length: number) => object])[] = [
  ["channel", 1, 256, (length) => ({ channel: text(length) })],
  ["channel of characters of two units", 1, 256, (length) => ({ channel: shoe.repeat(length) })],
  ...campaignKeys.map(
    (key) => [`${key}`, 1, 256, (length: number) => ({ campaignParams: { [key]: shoe.repeat(length) } })] as const,
  ),
  ["customShortId", 3, 64, (length) => ({ customShortId: text(length) })],
  ["the scheme of deeplinkUrl", 2, 31, (length) => ({ deeplinkUrl: `${"s".repeat(length)}://sale` })],
  ["deeplinkUrl", shortestUrl.length, 2_048, (length) => ({ deeplinkUrl: url(length) })],
  ["deeplinkUrl of characters of two units", 8, 2_048, (length) => ({ deeplinkUrl: shoes(length) })],
  ["fallbackPaths.ios", shortestUrl.length, 2_048, (length) => ({ fallbackPaths: { ios: url(length) } })],
  ["fallbackPaths.android", shortestUrl.length, 2_048, (length) => ({ fallbackPaths: { android: url(length) } })],
  ["fallbackPaths.desktop", shortestUrl.length, 2_048, (length) => ({ fallbackPaths: { desktop: url(length) } })],
  ["ogTag.imageUrl", shortestUrl.length, 2_048, (length) => ({ ogTag: { imageUrl: url(length) } })],
  ["ogTag.title", 0, 256, (length) => ({ ogTag: { title: text(length) } })],
  ["ogTag.description", 0, 1_024, (length) => ({ ogTag: { description: text(length) } })],
  ...["iosCustomProductPageId", "androidCustomStoreListing"].map(
    (key) => [key, 1, 256, (length: number) => ({ fallbackPaths: { option: { [key]: text(length) } } })] as const,
  ),
];

for (const [field, min, max, link] of rows) {
  limits(`${field}: ${min} to ${max} characters`, () => {
    if (min > 0) assert.not(isAccepted(link(min - 1)));
    for (const length of [min, min + 1, max - 1, max]) assert.ok(isAccepted(link(length)), `${length}`);
    assert.not(isAccepted(link(max + 1)));
  });
}

limits.run();
