import * as fc from "fast-check";
import { install } from "../actuals/advertising.ts";
import { anAppEvent, aTouchpoint, lastPosition } from "../actuals/generated-facts.ts";
import type { AppEvent, ChannelFlag, Facts, Source, Touchpoint } from "../facts.ts";
import { noUploads, type Spend } from "../uploads.ts";
import { click, enough, impressionsOf, tiktok, times, twitter } from "./networks.ts";

/**
 * Two histories that differ only in facts that masking withholds at every position: in their number, devices and money,
 * and in the withheld touchpoints that won shown events. Both histories have each withheld fact at least once, so that
 * the same cells are masked.
 */
interface HistoryPair {
  readonly one: Facts;
  readonly other: Facts;
  /** The same history without withheld facts. */
  readonly without: Facts;
}

const friends: Source = { ...twitter, channel: "friends", channel_type: "custom" };
const flaggedFrom = 5;
/** A custom channel that is flagged as self-attributing from a position on; before it, the channel's facts are shown. */
const channelFlags: readonly ChannelFlag[] = [
  { channel: "friends", selfAttributing: true, from: flaggedFrom, to: null },
];

type Fact = { readonly is: "touchpoint"; readonly of: Touchpoint } | { readonly is: "event"; readonly of: AppEvent };

/** How a copy of a withheld fact differs from it. */
interface Copy {
  readonly device: number;
  readonly cents: number;
  /** Positions between the fact and the copy. */
  readonly delay: number;
  /** Number in the names of its campaign and sub id. */
  readonly name: number;
}

/** What copies of withheld facts differ in, besides their number and their money. */
export interface Variation {
  /**
   * `any`: copies are of any devices. `unseen`: both histories have the fact on the same devices that also have shown
   * facts; further copies are of devices without shown facts. Which members of a shown cohort have withheld returns
   * determines what is marked as masked, so cohorts may differ with `any`.
   */
  readonly devices: "any" | "unseen";
  /** Whether copies have campaigns and sub ids of their own; questions must not filter by these. */
  readonly names: boolean;
}

/** The fact at a minute of its hour. Shown facts get distinct seconds, as the order of instants affects results. */
const timed = <Of extends AppEvent | Touchpoint>(fact: Of, second = 0): Of => {
  const at = Date.parse(`${fact.date}T00:00:00+09:00`) + (fact.hour * 60 + fact.from * 6) * 60_000 + second * 1_000;
  return { ...fact, at: new Date(at).toISOString() };
};

const someCopies: fc.Arbitrary<readonly Copy[]> = fc.array(
  // Devices 1 to 4 have shown installs.
  fc.record({
    device: fc.integer({ min: 1, max: 9 }),
    cents: fc.integer({ min: -999, max: 9_999 }),
    delay: fc.nat(5),
    name: fc.nat(6),
  }),
  { minLength: 1, maxLength: 7 },
);

/**
 * Sources whose facts are withheld at every position: twitter's months are all small, tiktok's February is small, and
 * friends is flagged late.
 */
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

/** Makes March of tiktok large enough to be shown. March of twitter has enough impressions, but too few installs. */
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

/** Shown installs of devices 1 to 4: withheld events of these devices are returns to the cohorts of the installs. */
const started: readonly AppEvent[] = [1, 2, 3, 4].map((device) => ({
  ...install,
  from: 1,
  date: "2026-02-27",
  hour: 0,
  at: `2026-02-26T15:00:0${device}.000Z`,
  device,
}));

/** Withheld clicks of tiktok, of which the last one won the shown installs. */
const touchpointsOfTiktok = (count: number): readonly Touchpoint[] =>
  times(count, { ...click, date: "2026-02-28", source: tiktok }).map((touchpoint, index) => {
    return { ...touchpoint, at: `2026-02-28T0${index}:00:00Z` };
  });

/** Pairs of histories that results must not distinguish. */
export const indistinguishableHistories = (variation: Variation): fc.Arbitrary<HistoryPair> =>
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
      const historyWith = (facts: readonly Fact[], won: number): Facts => {
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
        withheld.flatMap((copies, index) => copiesOf(copies.fact, copies[which], variation, index));
      return {
        one: historyWith(copied("one"), wonInOne),
        // In the reverse order, so that withheld facts have different ids.
        other: historyWith([...copied("other")].reverse(), wonInOther),
        without: historyWith([], 0),
      };
    });

/**
 * Copies of a withheld fact. The first one has the fact's own position, so that both histories mask the same cells from
 * then on; where devices are `unseen`, so does a second one, of a device without shown facts.
 */
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
