import type { LocalDate } from "../../domain/values/local-time.ts";

/** The counts of an empty row; money in hundredths of the currency. */
export const zeroCounts = { clicks: 0, installs: 0, orders: 0, revenueCents: 0, costCents: 0, storeVisits: 0 };

export type Counts = typeof zeroCounts;

/** One row of the demo's report: what happened on a date in a channel and campaign. */
export interface TruthRow extends Counts {
  readonly date: LocalDate;
  readonly channel: string;
  readonly campaign: string;
}

interface Advertising {
  readonly channel: string;
  readonly campaignParams: { readonly campaign: string };
}

/** Counts what the simulation did, independently of the platform, to verify its report. */
export interface GroundTruth {
  click(date: LocalDate, link: Advertising | undefined): void;
  /** `link` undefined: unattributed. */
  event(date: LocalDate, link: Advertising | undefined, category: string, value: number): void;
  spend(date: LocalDate, link: Advertising, cents: number): void;
  storeVisits(date: LocalDate, link: Advertising, visits: number): void;
  /** Sorted by date, channel and campaign, without empty rows. */
  rows(): readonly TruthRow[];
}

export function groundTruth(): GroundTruth {
  const rows = new Map<string, TruthRow>();
  const rowOf = (date: LocalDate, link: Advertising | undefined): TruthRow => {
    const channel = link?.channel ?? "unattributed";
    const campaign = link?.campaignParams.campaign ?? "";
    const key = truthKey(date, channel, campaign);
    const row = rows.get(key) ?? { date, channel, campaign, ...zeroCounts };
    rows.set(key, row);
    return row;
  };
  return {
    click: (date, link) => {
      rowOf(date, link).clicks += 1;
    },
    event: (date, link, category, value) => {
      if (category === "app_install") rowOf(date, link).installs += 1;
      if (category !== "app_order_complete") return;
      const row = rowOf(date, link);
      row.orders += 1;
      row.revenueCents += Math.round(value * 100);
    },
    spend: (date, link, cents) => {
      rowOf(date, link).costCents += cents;
    },
    storeVisits: (date, link, visits) => {
      rowOf(date, link).storeVisits += visits;
    },
    rows: () => [...rows.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row),
  };
}

/** Describes each row that differs between two tables; empty when they agree. */
export function differences(truth: readonly TruthRow[], reported: readonly TruthRow[]): readonly string[] {
  const found: string[] = [];
  const left = new Map(reported.map((row) => [truthKey(row.date, row.channel, row.campaign), row]));
  for (const row of truth) {
    const key = truthKey(row.date, row.channel, row.campaign);
    const other = left.get(key);
    left.delete(key);
    if (describe(row) !== (other === undefined ? "missing" : describe(other))) {
      found.push(`${key}: expected ${describe(row)}, reported ${other === undefined ? "nothing" : describe(other)}`);
    }
  }
  for (const [key, row] of left) found.push(`${key}: expected nothing, reported ${describe(row)}`);
  return found;
}

function truthKey(date: LocalDate, channel: string, campaign: string): string {
  return `${date} ${channel} ${campaign}`;
}

function describe(row: TruthRow): string {
  return (
    `${row.clicks} clicks, ${row.installs} installs, ${row.orders} orders of ${(row.revenueCents / 100).toFixed(2)}, ` +
    `cost ${(row.costCents / 100).toFixed(2)}, ${row.storeVisits} visits`
  );
}
