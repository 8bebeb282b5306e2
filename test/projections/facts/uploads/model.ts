import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import type { MetricRow, MetricRowsStaged, SpendRow, SpendRowsStaged } from "../../../../domain/uploads/events.ts";
import type { UploadsLog } from "./any-uploads.ts";

/** What is in force, as a person would keep it: one set of rows under each key. Rows are `<request> <row>`. */
export interface InForce {
  readonly spend: readonly string[];
  readonly uploaded_metrics: readonly string[];
  /** `<date> <base> <currency> <rate>`. */
  readonly exchange_rates: readonly string[];
  /** `<app> <category>` of those uploaded ever, with ` archived`. */
  readonly categories: readonly string[];
}

/** The slow obvious way: maps in memory, and a copy of them after every event of the log. */
export function inForceAfterEach(log: UploadsLog): readonly InForce[] {
  const staged = new Map<string, RecordedEvent<SpendRowsStaged | MetricRowsStaged>[]>();
  const spend = new Map<string, readonly string[]>();
  const metrics = new Map<string, readonly string[]>();
  const rates = new Map<string, readonly string[]>();
  const archived = new Map<string, boolean>();
  return log.map((event) => {
    switch (event.type) {
      case "SpendRowsStaged":
      case "MetricRowsStaged":
        staged.set(event.data.requestId, [...(staged.get(event.data.requestId) ?? []), event]);
        break;
      case "UploadIngested": {
        const { appId, requestId, kind } = event.data;
        const replacing = new Map<string, Set<string>>();
        for (const row of (staged.get(requestId) ?? []).flatMap(({ data }): readonly Row[] => data.rows)) {
          const key = keyOf(appId, row);
          replacing.set(key, (replacing.get(key) ?? new Set()).add(`${requestId} ${row.row}`));
          if ("eventCategory" in row) {
            const category = `${appId} ${row.eventCategory}`;
            archived.set(category, archived.get(category) ?? false);
          }
        }
        for (const [key, rows] of replacing) (kind === "metric" ? metrics : spend).set(key, [...rows]);
        break;
      }
      case "UploadedMetricArchived":
      case "UploadedMetricRestored": {
        const category = `${event.data.appId} ${event.data.eventCategory}`;
        if (archived.has(category)) archived.set(category, event.type === "UploadedMetricArchived");
        break;
      }
      case "ExchangeRatesSet": {
        const { date, base } = event.data;
        const all = Object.entries({ ...event.data.rates, [base]: "1" });
        rates.set(
          date,
          all.map(([currency, rate]) => `${date} ${base} ${currency} ${rate}`),
        );
        break;
      }
    }
    return {
      spend: sortedRows(spend),
      uploaded_metrics: sortedRows(metrics),
      exchange_rates: sortedRows(rates),
      categories: [...archived].map(([category, is]) => (is ? `${category} archived` : category)).sort(),
    };
  });
}

type Row = SpendRow | MetricRow;

function keyOf(appId: number, row: Row): string {
  const last = "eventCategory" in row ? row.eventCategory : row.campaignParams.campaign;
  return JSON.stringify([appId, row.date, row.channel, last]);
}

function sortedRows(byKey: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...byKey.values()].flat().sort();
}
