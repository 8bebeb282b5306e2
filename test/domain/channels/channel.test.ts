import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builtInChannel, builtInChannels } from "../../../domain/channels/built-in.ts";
import { channel } from "../../../domain/channels/channel.ts";
import type { ChannelEvent, ChannelProfile } from "../../../domain/channels/events.ts";
import { rejectField } from "../../../domain/decider.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

const billboards: ChannelProfile = {
  name: "billboards",
  displayName: "Billboards",
  type: "custom",
  selfAttributing: false,
  costIntegrated: false,
};
const registered: ChannelEvent = { type: "ChannelRegistered", data: billboards };
const renamed: ChannelProfile = { ...billboards, displayName: "Hoardings" };

const { given } = specification(channel);

const putting = suite("putting a channel");

putting("registers it, then changes it", () => {
  given().when({ profile: billboards }).then([registered]);
  given(registered)
    .when({ profile: renamed })
    .then([{ type: "ChannelChanged", data: renamed }]);
});

putting("changes a built-in one, which is registered from the start", () => {
  const tiktok = builtInChannel("tiktok");
  if (tiktok === null) throw new Error("tiktok is built in");
  given().when({ profile: tiktok }).then([]);
  const changed = { ...tiktok, costIntegrated: false };
  given()
    .when({ profile: changed })
    .then([{ type: "ChannelChanged", data: changed }]);
});

putting("refuses reserved names and names that are none", () => {
  for (const name of ["unattributed", "restricted", "organic"]) {
    given()
      .when({ profile: { ...billboards, name } })
      .then(rejectField("CHANNEL_NAME_RESERVED", ["path", "name"]));
  }
  for (const name of ["", "Upper", ".dot", "a b", "한국", "a".repeat(257), "a\0"]) {
    given()
      .when({ profile: { ...billboards, name } })
      .then(rejectField("CHANNEL_NAME_INVALID", ["path", "name"]));
  }
});

putting("decides twice as once", () => {
  const profileOf = (name: string) =>
    fc.record({
      name: fc.constant(name),
      displayName: fc.constantFrom("One", "Other"),
      type: fc.constantFrom("integrated", "custom"),
      selfAttributing: fc.boolean(),
      costIntegrated: fc.boolean(),
    });
  for (const name of ["billboards", "tiktok"]) assertDecidesOnce(channel, fc.record({ profile: profileOf(name) }));
});

putting("knows twelve channels from the start", () => {
  const flags = builtInChannels.map(({ name, selfAttributing, costIntegrated }) => [
    name,
    selfAttributing,
    costIntegrated,
  ]);
  assert.equal(flags, [
    ["google.adwords", true, true],
    ["facebook.business", true, true],
    ["tiktok", true, true],
    ["apple.searchads", true, true],
    ["twitter", true, false],
    ["snapchat", true, false],
    ["ironsource", false, true],
    ["appier", false, true],
    ["remerge", false, true],
    ["aarki", false, true],
    ["naver.searchad", false, false],
    ["kakao", false, false],
  ]);
});

putting.run();
