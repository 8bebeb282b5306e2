import * as fc from "fast-check";
import { anAppEvent, aTouchpoint, lastPosition } from "../actuals/generated-facts.ts";
import type { AppEvent, ChannelFlag, Facts, Source, Touchpoint } from "../facts.ts";
import { noUploads, type Spend } from "../uploads.ts";
import { enough, impressionsOf, tiktok, times, twitter } from "./networks.ts";

/**
 * Two histories that differ in nothing but what is withheld of them at every position: how many there are of each such
 * contribution, of whose devices, and for how much money. Each is there at least once in both, so that the same cells
 * have lost something.
 */
export interface TwoWorlds {
  readonly one: Facts;
  readonly other: Facts;
  /** The same without anything that is withheld. */
  readonly without: Facts;
}

const friends: Source = { ...twitter, channel: "friends", channel_type: "custom" };
const flaggedFrom = 5;
/** A custom channel that is said to be a network at a position; what it brings before that is shown until then. */
const channelFlags: readonly ChannelFlag[] = [
  { channel: "friends", selfAttributing: true, from: flaggedFrom, to: null },
];

type Fact = { readonly is: "touchpoint"; readonly of: Touchpoint } | { readonly is: "event"; readonly of: AppEvent };

/** One more of a contribution. */
interface Copy {
  readonly device: number;
  readonly cents: number;
  /** Positions that it came later. */
  readonly delay: number;
}

const someCopies: fc.Arbitrary<readonly Copy[]> = fc.array(
  // Devices 1 to 4 have other events too.
  fc.record({ device: fc.integer({ min: 1, max: 9 }), cents: fc.integer({ min: -999, max: 9_999 }), delay: fc.nat(5) }),
  { minLength: 1, maxLength: 9 },
);

/** Withheld at every position: of a network whose months are all small, of a large one's small month, of a late one. */
const aWithheldSource = fc.constantFrom(twitter, twitter, tiktok, friends);
const aCampaign = fc.constantFrom(null, "spring", "봄");

const aWithheld: fc.Arbitrary<Fact> = fc
  .record({
    fact: fc.oneof(
      aTouchpoint.map((of): Fact => ({ is: "touchpoint", of })),
      anAppEvent.map((of): Fact => ({ is: "event", of: { ...of, to: null } })),
    ),
    source: aWithheldSource,
    campaign: aCampaign,
  })
  .map(({ fact, source: channel, campaign }) => {
    const source = { ...channel, campaign };
    const from = source.channel === "friends" ? Math.max(fact.of.from, flaggedFrom) : fact.of.from;
    const date = source.channel === "tiktok" ? "2026-02-28" : fact.of.date;
    const place = { appId: 1, from, date };
    return fact.is === "touchpoint"
      ? { is: fact.is, of: { ...fact.of, ...place, human: true, source } }
      : { is: fact.is, of: { ...fact.of, ...place, label: { source, kind: fact.of.label?.kind ?? "click" } } };
  });

/** March of tiktok is large enough to be shown, and all but installs of twitter's. */
const large = {
  appEvents: times(101, {
    ...enough.installs[0],
    date: "2026-03-01",
    label: { source: tiktok, kind: "click" },
  } as AppEvent),
  spend: [
    impressionsOf(1_001, { channel: "tiktok", date: "2026-03-02" }),
    impressionsOf(1_001, { date: "2026-03-01" }),
  ] as readonly Spend[],
};

export const twoWorlds: fc.Arbitrary<TwoWorlds> = fc
  .record({
    touchpoints: fc.array(aTouchpoint, { minLength: 10, maxLength: 30 }),
    appEvents: fc.array(anAppEvent, { minLength: 20, maxLength: 40 }),
    withheld: fc.array(fc.record({ fact: aWithheld, one: someCopies, other: someCopies }), {
      minLength: 6,
      maxLength: 11,
    }),
  })
  .map(({ touchpoints, appEvents, withheld }) => {
    const shown = {
      touchpoints: touchpoints.filter(({ source }) => source.channel !== "twitter"),
      appEvents: [...appEvents.filter(({ label }) => label?.source.channel !== "twitter"), ...large.appEvents],
    };
    const world = (facts: readonly Fact[]): Facts => ({
      touchpoints: [...shown.touchpoints, ...facts.flatMap(({ is, of }) => (is === "touchpoint" ? [of] : []))],
      appEvents: [...shown.appEvents, ...facts.flatMap(({ is, of }) => (is === "event" ? [of] : []))],
      uploads: { ...noUploads, spend: large.spend },
      channelFlags,
    });
    const copied = (which: "one" | "other") =>
      withheld.flatMap((contribution) => contribution[which].map((copy, n) => copyOf(contribution.fact, copy, n)));
    return { one: world(copied("one")), other: world(copied("other")), without: world([]) };
  });

/** The first is there as soon as the contribution is. */
function copyOf(fact: Fact, { device, cents, delay }: Copy, number: number): Fact {
  const from = number === 0 ? fact.of.from : Math.min(lastPosition, fact.of.from + delay);
  if (fact.is === "touchpoint") return { is: fact.is, of: { ...fact.of, from } };
  return { is: fact.is, of: { ...fact.of, from, device, cents: fact.of.cents === null ? null : cents } };
}
