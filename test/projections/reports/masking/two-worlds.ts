import * as fc from "fast-check";
import { install } from "../actuals/advertising.ts";
import { anAppEvent, aTouchpoint, lastPosition } from "../actuals/generated-facts.ts";
import type { AppEvent, ChannelFlag, Facts, Source, Touchpoint } from "../facts.ts";
import { noUploads, type Spend } from "../uploads.ts";
import { click, enough, impressionsOf, tiktok, times, twitter } from "./networks.ts";

/**
 * Two histories that differ in nothing but what is withheld of them at every position: how many there are of each such
 * contribution, of whose devices, and for how much money. Each is there at least once in both, so that the same cells
 * have lost something. Shown events are won by withheld touchpoints, in each history by another.
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
  readonly name: number;
}

/** What copies of a contribution differ in, besides their number and their money. */
export interface Variation {
  /**
   * `any`: whose devices they are of. `unseen`: those of one of which nothing else is known are more or fewer; it matters to
   * the flags of cohorts whose of the others they are.
   */
  readonly devices: "any" | "unseen";
  /** Whether each has a campaign and a sub id of its own, by which no question may filter. */
  readonly names: boolean;
}

/** The fact at a minute of its hour; those that are shown at a second of their own, because instants decide. */
const timed = <Of extends AppEvent | Touchpoint>(fact: Of, second = 0): Of => {
  const at = Date.parse(`${fact.date}T00:00:00+09:00`) + (fact.hour * 60 + fact.from * 6) * 60_000 + second * 1_000;
  return { ...fact, at: new Date(at).toISOString() };
};

const someCopies: fc.Arbitrary<readonly Copy[]> = fc.array(
  // Devices 1 to 4 have other events too.
  fc.record({
    device: fc.integer({ min: 1, max: 9 }),
    cents: fc.integer({ min: -999, max: 9_999 }),
    delay: fc.nat(5),
    name: fc.nat(6),
  }),
  { minLength: 1, maxLength: 7 },
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
      ? { is: fact.is, of: timed({ ...fact.of, ...place, human: true, source }) }
      : { is: fact.is, of: timed({ ...fact.of, ...place, label: { source, kind: fact.of.label?.kind ?? "click" } }) };
  });

/** March of tiktok is large enough to be shown, and all but installs of twitter's. */
const large = {
  appEvents: times(101, {
    ...enough.installs[0],
    date: "2026-03-01",
    at: "2026-03-01T01:00:00.000Z",
    label: { source: tiktok, kind: "click" },
  } as AppEvent).map((event, index) => ({ ...event, device: 1_000 + index })),
  spend: [
    impressionsOf(1_001, { channel: "tiktok", date: "2026-03-02" }),
    impressionsOf(1_001, { date: "2026-03-01" }),
  ] as readonly Spend[],
};

/** Shown starts of the devices that other events are of: withheld returns come back to them. */
const started: readonly AppEvent[] = [1, 2, 3, 4].map((device) => ({
  ...install,
  from: 1,
  date: "2026-02-27",
  hour: 0,
  at: `2026-02-26T15:00:0${device}.000Z`,
  device,
}));

/** The last one won the shown events of tiktok; how many there are is withheld. */
const touchpointsOfTiktok = (count: number): readonly Touchpoint[] =>
  times(count, { ...click, date: "2026-02-28", source: tiktok }).map((touchpoint, index) => {
    return { ...touchpoint, at: `2026-02-28T0${index}:00:00Z` };
  });

export const worldsBy = (variation: Variation): fc.Arbitrary<TwoWorlds> =>
  fc
    .record({
      touchpoints: fc.array(aTouchpoint, { minLength: 10, maxLength: 30 }),
      appEvents: fc.array(anAppEvent, { minLength: 20, maxLength: 40 }),
      withheld: fc.array(fc.record({ fact: aWithheld, one: someCopies, other: someCopies }), {
        minLength: 6,
        maxLength: 11,
      }),
      won: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 2 }),
    })
    .map(({ touchpoints, appEvents, withheld, won: [wonInOne = 1, wonInOther = 2] }) => {
      const shown = {
        touchpoints: touchpoints.filter(({ source }) => source.channel !== "twitter").map(timed),
        appEvents: appEvents.filter(({ label }) => label?.source.channel !== "twitter").map(timed),
      };
      const world = (facts: readonly Fact[], won: number): Facts => {
        const all = facts.flatMap(({ is, of }) => (is === "touchpoint" ? [of] : []));
        const ofTiktok = touchpointsOfTiktok(won);
        const touchpoint = shown.touchpoints.length + all.length + won - 1;
        const label = { source: tiktok, kind: "click" as const, ...(won === 0 ? {} : { touchpoint }) };
        return {
          touchpoints: [...shown.touchpoints, ...all, ...ofTiktok],
          appEvents: [
            ...shown.appEvents,
            ...started,
            ...large.appEvents.map((event) => ({ ...event, label })),
            ...facts.flatMap(({ is, of }) => (is === "event" ? [of] : [])),
          ],
          uploads: { ...noUploads, spend: large.spend },
          channelFlags,
        };
      };
      const copied = (which: "one" | "other") =>
        withheld.flatMap((contribution, index) => copiesOf(contribution.fact, contribution[which], variation, index));
      return {
        one: world(copied("one"), wonInOne),
        // In another order, so that withheld facts have other ids.
        other: world([...copied("other")].reverse(), wonInOther),
        without: world([], 0),
      };
    });

/** The first is there as soon as the contribution is, and so is one of an unseen device where those differ. */
function copiesOf(fact: Fact, copies: readonly Copy[], { devices, names }: Variation, index: number): readonly Fact[] {
  const unseen = 100 + 10 * index;
  const [first] = copies;
  const all = first === undefined || devices === "any" ? copies : [first, first, ...copies];
  return all.map((copy, number) => {
    const isFirst = number === 0 || (devices === "unseen" && number === 1);
    const from = isFirst ? fact.of.from : Math.min(lastPosition, fact.of.from + copy.delay);
    const source = (of: Source): Source =>
      names ? { ...of, campaign: `only ${copy.name}`, sub_id_1: `only ${copy.name}` } : of;
    if (fact.is === "touchpoint") return { is: fact.is, of: { ...fact.of, from, source: source(fact.of.source) } };
    const isOwn = number === 0 || (number > 1 && copy.device % 2 === 0);
    const device = devices === "any" ? copy.device : isOwn ? fact.of.device : unseen + copy.device * Number(number > 1);
    const { label, cents } = fact.of;
    return {
      is: fact.is,
      of: {
        ...fact.of,
        from,
        device,
        cents: cents === null ? null : copy.cents,
        label: label && { ...label, source: source(label.source) },
      },
    };
  });
}
