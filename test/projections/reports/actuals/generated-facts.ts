import * as fc from "fast-check";
import type { AppEvent, ChannelFlag, Client, Facts, Source, Touchpoint } from "../facts.ts";
import type { Rate, Spend, UploadedMetric } from "../uploads.ts";
import { uploadedNames } from "./reference-measures.ts";

/** A week, a month and a leap-less February end within them. */
export const dates = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"] as const;
const hours = [0, 9, 23] as const;
export const lastPosition = 9;
export const aDate = fc.constantFrom(...dates);
export const aPosition = fc.integer({ min: 1, max: lastPosition });
/** Few apps, so that rows of the other would be noticed. */
const anApp = fc.constantFrom(1, 1, 1, 2);

/** The last is a self-attributing network, as flags may make the others. */
const channels = ["kakao", "Partner ü", "partner", "twitter"] as const;

const aSource: fc.Arbitrary<Source> = fc.record({
  channel: fc.constantFrom(...channels),
  channel_type: fc.constantFrom("integrated", "custom"),
  tracking_link_id: fc.constantFrom(null, 7, 9_007_199_254_740_991),
  is_reengagement: fc.constantFrom("OFF", "ON-TRUE", "ON-FALSE"),
  campaign: fc.constantFrom(null, "", "spring", "it's 100%", "봄"),
  sub_id_1: fc.constantFrom(null, "a"),
  sub_publisher: fc.constantFrom(null, "times"),
});

const aClient: fc.Arbitrary<Client> = fc.record({
  os_name: fc.constantFrom(null, "Android", "iOS"),
  country: fc.constantFrom(null, "KR", "DE"),
  device_model: fc.constantFrom(null, "", "Pixel"),
});

const place = { appId: anApp, from: aPosition, date: aDate, hour: fc.constantFrom(...hours), client: aClient };

export const aTouchpoint: fc.Arbitrary<Touchpoint> = fc.record({
  ...place,
  kind: fc.constantFrom("click", "impression"),
  human: fc.constantFrom(true, true, true, false),
  source: aSource,
});

export const anAppEvent: fc.Arbitrary<AppEvent> = fc.record({
  ...place,
  to: fc.option(fc.integer({ min: 2, max: lastPosition })),
  sentFrom: fc.constantFrom("app", "web"),
  category: fc.constantFrom(
    "app_install",
    "app_install",
    "app_open",
    "app_order_complete",
    "app_order_complete",
    "app_order_cancel",
    "app_subscribe",
    "custom:level_up",
  ),
  device: fc.integer({ min: 1, max: 4 }),
  cents: fc.option(fc.constantFrom(0, 1, 10, 20, 1999, -500)),
  currency: fc.constantFrom("KRW", "KRW", "KRW", "EUR", "USD"),
  label: fc.option(fc.record({ source: aSource, kind: fc.constantFrom("click", "impression") })),
  isFirstOfDevice: fc.boolean(),
  isFirstOfUser: fc.option(fc.boolean()),
});

const anUpload = {
  appId: anApp,
  from: fc.option(aPosition, { freq: 9 }),
  to: fc.option(fc.integer({ min: 2, max: lastPosition })),
  date: aDate,
  channel: fc.constantFrom(...channels),
  channel_type: fc.constantFrom("integrated", "custom"),
  ad_group: fc.constantFrom(null, "newcomers"),
  sub_publisher: fc.constantFrom(null, "times"),
  country: fc.constantFrom(null, "KR", "DE"),
  os_name: fc.constantFrom(null, "Android", "iOS"),
};

const aSpend: fc.Arbitrary<Spend> = fc.record({
  ...anUpload,
  campaign: fc.constantFrom("spring", "봄"),
  campaign_id: fc.constantFrom(null, "7"),
  currency: fc.constantFrom("KRW", "EUR", "USD"),
  impressions: fc.constantFrom(0, 0, 3, 990),
  clicks: fc.constantFrom(0, 0, 7),
  cents: fc.constantFrom(0, 0, 10, 1999),
});

const anUploadedMetric: fc.Arbitrary<UploadedMetric> = fc.record({
  ...anUpload,
  campaign: fc.constantFrom(null, "spring", "봄"),
  event_category: fc.constantFrom(...uploadedNames),
  event_source: fc.constantFrom(null, "app", "web", "tracking_link"),
  cents: fc.constantFrom(0, 100, 250, -100),
  currency: fc.constantFrom(null, null, "KRW", "EUR", "USD"),
  is_first_event_per_device_id: fc.option(fc.boolean()),
  is_first_event_per_user_id: fc.option(fc.boolean()),
});

/** One unit of any other currency is a whole number of won, so that plain numbers do for the reference. */
const ratesOfBases = [
  { base: "USD", currency: "KRW", rates: ["500", "1000"] },
  { base: "USD", currency: "EUR", rates: ["0.25", "0.5"] },
  { base: "EUR", currency: "KRW", rates: ["2000", "4000"] },
  { base: "EUR", currency: "USD", rates: ["2", "4"] },
  { base: "KRW", currency: "USD", rates: ["0.5", "0.25"] },
  { base: "KRW", currency: "EUR", rates: ["0.125", "0.0625"] },
] as const;

/** Sets of rates of some dates, each of one base and of one or both of the other currencies. */
export function someRatesOn(rateDates: readonly string[]): fc.Arbitrary<readonly Rate[]> {
  return fc
    .uniqueArray(
      fc.record({
        date: fc.constantFrom(...rateDates),
        base: fc.constantFrom("USD", "USD", "EUR", "KRW"),
        which: fc.constantFrom(0, 1),
        currencies: fc.subarray(["KRW", "EUR", "USD"], { minLength: 2 }),
        inForce: fc.constantFrom({ from: 1, to: 4 }, { from: 4, to: null }),
      }),
      { selector: ({ date, inForce }) => `${date} ${inForce.from}`, maxLength: 7 },
    )
    .map((sets) =>
      sets.flatMap(({ date, base, which, currencies, inForce }) => [
        { date, base, currency: base, rate: "1", ...inForce },
        ...ratesOfBases
          .filter((of) => of.base === base && currencies.includes(of.currency))
          .map(({ currency, rates }) => ({ date, base, currency, rate: rates[which], ...inForce })),
      ]),
    );
}

const someFlags: fc.Arbitrary<readonly ChannelFlag[]> = fc
  .uniqueArray(
    fc.record({
      channel: fc.constantFrom(...channels),
      selfAttributing: fc.boolean(),
      inForce: fc.constantFrom({ from: 1, to: 5 }, { from: 5, to: null }),
    }),
    { selector: ({ channel, inForce }) => `${channel} ${inForce.from}`, maxLength: 5 },
  )
  .map((flags) => flags.map(({ inForce, ...flag }) => ({ ...flag, ...inForce })));

/** Installs of one channel and date, about as many as take a month over the limit of masking. */
const aCrowd: fc.Arbitrary<readonly AppEvent[]> = fc
  .record({ size: fc.integer({ min: 90, max: 101 }), of: anAppEvent, source: aSource })
  .map(({ size, of, source }) => {
    const label = { source: { ...source, channel: "twitter" }, kind: "click" as const };
    const installs = { ...of, appId: 1, from: 1, to: null, category: "app_install", label };
    return Array.from({ length: size }, (_, device) => ({ ...installs, device }));
  });

export const someFacts: fc.Arbitrary<Facts> = fc.record({
  touchpoints: fc.array(aTouchpoint, { minLength: 40, maxLength: 80 }),
  appEvents: fc
    .tuple(fc.array(anAppEvent, { minLength: 60, maxLength: 120 }), fc.option(aCrowd))
    .map(([events, crowd]) => [...events, ...(crowd ?? [])]),
  channelFlags: someFlags,
  uploads: fc.record({
    spend: fc.array(aSpend, { minLength: 10, maxLength: 40 }),
    uploadedMetrics: fc.array(anUploadedMetric, { minLength: 10, maxLength: 40 }),
    rates: someRatesOn(["2026-01-31", ...dates]),
    categories: fc.constant([]),
  }),
});
