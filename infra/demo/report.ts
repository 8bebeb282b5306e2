import type { LocalDate } from "../../domain/values/local-time.ts";
import type { ActualsPage } from "../api-client/report-pages.ts";
import type { TruthRow } from "./ground-truth.ts";
import { storeVisits } from "./simulated-files.ts";

/** The demo's question: clicks, installs, orders, revenue and cost by date, channel and campaign; metrics to add. */
export function demoQuery(from: LocalDate, to: LocalDate, moreMetrics: readonly string[] = []): object {
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

/** The rows of the demo's report in the form of the simulation's own count. */
export function reportedRows(pages: readonly ActualsPage[]): readonly TruthRow[] {
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
