import type { ReportPage, ReportQuery } from "../../client/index.ts";
import type { LocalDate } from "../../domain/values/local-time.ts";
import { alignedLines } from "../cli/terminal-text.ts";
import { type Counts, type TruthRow, zeroCounts } from "./ground-truth.ts";
import { storeVisits } from "./simulated-files.ts";

/** The demo's query: clicks, installs, orders, revenue and cost by date, channel and campaign; metrics to add. */
export function demoQuery(from: LocalDate, to: LocalDate, moreMetrics: readonly string[] = []): ReportQuery<"actuals"> {
  return {
    from,
    to,
    groupBys: ["event_date", "channel", "campaign"],
    metrics: ["clicks", "app_installs", "app_order_complete", "app_revenue", "cost_channel", ...moreMetrics],
    filters: [],
    sorts: [
      { fieldName: "event_date", isAscending: true },
      { fieldName: "channel", isAscending: true },
      { fieldName: "campaign", isAscending: true },
    ],
  };
}

/** The rows of the demo's report in the form of the ground truth. */
export function reportedRows(pages: readonly ReportPage<"actuals">[]): readonly TruthRow[] {
  return pages.flatMap(({ actuals }) =>
    actuals.data.rows.map(({ groupBys: [date = "", channel = "", campaign = ""], values }) => ({
      date,
      channel,
      campaign,
      clicks: values.clicks?.value ?? 0,
      installs: values.app_installs?.value ?? 0,
      orders: values.app_order_complete?.value ?? 0,
      revenueCents: Math.round((values.app_revenue?.value ?? 0) * 100),
      costCents: Math.round((values.cost_channel?.value ?? 0) * 100),
      storeVisits: values[storeVisits]?.value ?? 0,
    })),
  );
}

const columns = ["date", "channel", "campaign", "clicks", "installs", "orders", "revenue", "cost", "visits"] as const;

/** The report as text, a line for each row; a date is printed once, and totals come last. */
export function reportTable(rows: readonly TruthRow[]): string {
  const total: Counts = { ...zeroCounts };
  const lines = rows.map((row, index) => {
    for (const count of Object.keys(zeroCounts) as (keyof Counts)[]) total[count] += row[count];
    const date = row.date === rows[index - 1]?.date ? "" : row.date;
    return [date, row.channel, row.campaign, ...numbersOf(row)];
  });
  const header = columns.map((title, index) => (index < 3 ? title : { number: title }));
  const [first = "", ...others] = alignedLines([header, ...lines, ["total", "", "", ...numbersOf(total)]]);
  const rule = "-".repeat(first.length);
  return [first, rule, ...others.slice(0, -1), rule, others.at(-1)].join("\n");
}

function numbersOf({ clicks, installs, orders, revenueCents, costCents, storeVisits }: Counts) {
  const money = (cents: number) => ({ number: (cents / 100).toFixed(2) });
  return [clicks, installs, orders, money(revenueCents), money(costCents), storeVisits];
}
