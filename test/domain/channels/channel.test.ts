import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builtInChannel, builtInChannels } from "../../../domain/channels/built-in.ts";
import { channel } from "../../../domain/channels/channel.ts";
import type { ChannelEvent, ChannelProfile } from "../../../domain/channels/events.ts";
import { fold, isRejection, rejectField } from "../../../domain/decider.ts";

const billboards: ChannelProfile = {
  name: "billboards",
  displayName: "Billboards",
  type: "custom",
  selfAttributing: false,
  costIntegrated: false,
};
const registered: ChannelEvent = { type: "ChannelRegistered", data: billboards };
const renamed: ChannelProfile = { ...billboards, displayName: "Hoardings" };

const decide = (given: readonly ChannelEvent[], profile: ChannelProfile) =>
  channel.decide({ profile }, fold(channel, given));

const putting = suite("putting a channel");

putting("registers it, then changes it", () => {
  assert.equal(decide([], billboards), [registered]);
  assert.equal(decide([registered], renamed), [{ type: "ChannelChanged", data: renamed }]);
});

putting("changes a built-in one, which is registered from the start", () => {
  const tiktok = builtInChannel("tiktok");
  if (tiktok === null) throw new Error("tiktok is built in");
  assert.equal(decide([], tiktok), []);
  const changed = { ...tiktok, costIntegrated: false };
  assert.equal(decide([], changed), [{ type: "ChannelChanged", data: changed }]);
});

putting("refuses reserved names and names that are none", () => {
  for (const name of ["unattributed", "restricted", "organic"]) {
    assert.equal(decide([], { ...billboards, name }), rejectField("CHANNEL_NAME_RESERVED", ["path", "name"]));
  }
  for (const name of ["", "Upper", ".dot", "a b", "한국", "a".repeat(257), "a\0"]) {
    assert.equal(decide([], { ...billboards, name }), rejectField("CHANNEL_NAME_INVALID", ["path", "name"]));
  }
});

putting("decides twice as once", () => {
  const profile = fc.record({
    name: fc.constantFrom("billboards", "tiktok", "kakao", "organic"),
    displayName: fc.constantFrom("One", "Other"),
    type: fc.constantFrom("integrated", "custom"),
    selfAttributing: fc.boolean(),
    costIntegrated: fc.boolean(),
  });
  fc.assert(
    fc.property(profile, fc.array(profile), (last, before) => {
      let given: readonly ChannelEvent[] = [];
      for (const one of before.filter(({ name }) => name === last.name)) {
        const decided = decide(given, one);
        if (!isRejection(decided)) given = [...given, ...decided];
      }
      const decided = decide(given, last);
      if (!isRejection(decided)) assert.equal(decide([...given, ...decided], last), []);
    }),
  );
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
