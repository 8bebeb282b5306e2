import fc from "fast-check";
import type { UploadedMetricEvent } from "../../../../domain/apps/events.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import type { ExchangeRatesSet } from "../../../../domain/exchange-rates/events.ts";
import type { MetricRow, SpendRow } from "../../../../domain/uploads/events.ts";
import type { UploadedFact } from "../../../../projections/facts/uploads/uploads.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { metricUpload, spendUpload } from "../../../examples/uploaded-rows.ts";

type UploadedEvent = UploadedFact | UploadedMetricEvent | ExchangeRatesSet;
export type UploadsLog = readonly RecordedEvent<UploadedEvent>[];

const appId = fc.constantFrom(1, 1, 1, 2);
const date = fc.constantFrom("2026-03-01", "2026-03-02");
const channel = fc.constantFrom("partner", "Partner", "other");
/** Twice the same word to the eye. */
const name = fc.constantFrom("spring", "Spring", "\u00e9t\u00e9", "e\u0301te\u0301");
const adGroup = fc.constantFrom<{ adGroup?: string }>({}, { adGroup: "a" });
const rowsOfChunk = fc.integer({ min: 1, max: 4 });

const spendRows: fc.Arbitrary<readonly Partial<SpendRow>[]> = fc.array(
  fc
    .record({ date, channel, campaign: name, group: adGroup, cost: fc.constantFrom("0", "1.5", "20") })
    .map(({ campaign, group, cost, ...row }) => ({
      ...row,
      campaignParams: { campaign, ...group },
      ...(cost === "0" ? { impressions: 0, clicks: 0, cost } : { cost }),
    })),
  { minLength: 1, maxLength: 6 },
);

const metricRows: fc.Arbitrary<readonly Partial<MetricRow>[]> = fc.array(
  fc
    .record({ date, channel, eventCategory: fc.constantFrom("visits", "Visits", "calls"), campaignParams: adGroup })
    .map(({ campaignParams, ...row }) => ({ ...row, campaignParams })),
  { minLength: 1, maxLength: 6 },
);

type Upload = { readonly staged: readonly UploadedFact[]; readonly ingested: UploadedFact };

const anyUpload: fc.Arbitrary<(number: number) => Upload> = fc.oneof(
  fc
    .record({ appId, rowsOfChunk, kind: fc.constantFrom("ad_spend" as const, "legacy_cost" as const), rows: spendRows })
    .map(
      ({ rows, ...options }) =>
        (number: number) =>
          spendUpload(number, rows, options),
    ),
  fc.record({ appId, rowsOfChunk, rows: metricRows }).map(
    ({ rows, ...options }) =>
      (number: number) =>
        metricUpload(number, rows, options),
  ),
);

const archiving: fc.Arbitrary<UploadedEvent> = fc.record({
  type: fc.constantFrom("UploadedMetricArchived" as const, "UploadedMetricRestored" as const),
  data: fc.record({ appId, eventCategory: fc.constantFrom("visits", "calls", "never") }),
});

const rates: fc.Arbitrary<UploadedEvent> = fc.record({
  type: fc.constant("ExchangeRatesSet" as const),
  data: fc.record({
    date,
    base: fc.constantFrom("USD", "EUR"),
    rates: fc.constantFrom<ExchangeRatesSet["data"]["rates"]>({ KRW: "1400" }, { KRW: "1500", JPY: "150" }),
  }),
});

/**
 * A log as it could be: uploads of overlapping keys under way at the same time, their chunks in any order among each
 * other and some of them twice, some uploads never ingested; categories archived and restored, exchange rates set.
 */
export const anyUploadsLog: fc.Arbitrary<UploadsLog> = fc
  .record({
    uploads: fc.array(fc.record({ make: anyUpload, isIngested: fc.constantFrom(true, true, true, false) }), {
      minLength: 2,
      maxLength: 8,
    }),
    others: fc.array(fc.oneof(archiving, rates), { maxLength: 10 }),
    order: fc.infiniteStream(fc.nat({ max: 1_000 })),
  })
  .map(({ uploads, others, order }) => {
    const threads: UploadedEvent[][] = uploads.map(({ make, isIngested }, number) => {
      const { staged, ingested } = make(number);
      return [...staged, ...staged.slice(0, number % 2), ...(isIngested ? [ingested] : [])];
    });
    return recordedLog(interleaved([...threads, ...others.map((other) => [other])], order));
  });

function interleaved<Event>(threads: readonly Event[][], order: Iterator<number>): readonly Event[] {
  const left = threads.filter(({ length }) => length > 0);
  const events: Event[] = [];
  while (left.length > 0) {
    const chosen: number = order.next().value % left.length;
    const [event, ...rest] = left[chosen] ?? [];
    if (event !== undefined) events.push(event);
    if (rest.length > 0) left[chosen] = rest;
    else left.splice(chosen, 1);
  }
  return events;
}
