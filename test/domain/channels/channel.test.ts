import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builtInChannel, builtInChannels } from "../../../domain/channels/built-in.ts";
import { channel } from "../../../domain/channels/channel.ts";
import type { ChannelEvent, ChannelProfile } from "../../../domain/channels/events.ts";
import { rejectField } from "../../../domain/decider.ts";
import { addRules, assertDecidesOnce } from "../../support/decider-specification.ts";

const billboards: ChannelProfile = {
  name: "billboards",
  displayName: "Billboards",
  type: "custom",
  selfAttributing: false,
  costIntegrated: false,
};
const registered: ChannelEvent = { type: "ChannelRegistered", data: billboards };

const tiktok = builtInChannel("tiktok");
if (tiktok === null) throw new Error("tiktok is built in");
const changedTiktok = { ...tiktok, costIntegrated: false };

const putting = suite("putting a channel");

const named = (name: string) => ({ profile: { ...billboards, name } });
const reserved = rejectField("CHANNEL_NAME_RESERVED", ["path", "name"]);
const invalid = rejectField("CHANNEL_NAME_INVALID", ["path", "name"]);

addRules(putting, channel, [
  ["registers it", [], { profile: billboards }, [registered]],
  ...(
    [{ displayName: "Hoardings" }, { type: "integrated" }, { selfAttributing: true }, { costIntegrated: true }] as const
  ).map((changes) => {
    const profile = { ...billboards, ...changes };
    const changed: ChannelEvent = { type: "ChannelChanged", data: profile };
    return [`changes its ${Object.keys(changes)}`, [registered], { profile }, [changed]] as const;
  }),
  ["decides nothing for a built-in one", [], { profile: tiktok }, []],
  ["changes a built-in one", [], { profile: changedTiktok }, [{ type: "ChannelChanged", data: changedTiktok }]],
  ...["unattributed", "restricted", "organic"].map((name) => {
    return [`rejects the reserved name ${name}`, [], named(name), reserved] as const;
  }),
  ...["7", "2nd-channel_4.you", "a".repeat(256)].map((name) => {
    const { profile } = named(name);
    return [`accepts the name ${name}`, [], { profile }, [{ type: "ChannelRegistered", data: profile }]] as const;
  }),
  ...["", "Upper", ".dot", "-dash", "_score", "a/b", "a b", "한국", "a".repeat(257), "a\0"].map((name) => {
    return [`rejects the name ${JSON.stringify(name)}`, [], named(name), invalid] as const;
  }),
]);

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
