import { setTimeout as pause } from "node:timers/promises";
import type { LocalDate } from "../../domain/local-time.ts";
import type { ApiClient } from "../api-client/api-client.ts";
import type { TruthRow } from "./ground-truth.ts";
import { storeVisits } from "./simulated-files.ts";

const pageSize = 100;
const pollPause = 100;
const patience = 90_000;

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

interface ReportPage {
  readonly task: { readonly status: string; readonly asOfPosition?: string };
  readonly actuals?: {
    readonly data: {
      readonly rows: readonly {
        readonly groupBys: readonly string[];
        readonly values: { readonly [metric: string]: { readonly value: number | null } };
      }[];
    };
  };
  readonly pagination?: { readonly hasNext: boolean };
}

/** Requests an actuals report and polls it; answers its rows once it is `SUCCESS`. Throws when it fails. */
export async function runReport(
  api: ApiClient,
  appName: string,
  query: object,
): Promise<{ readonly taskId: string; readonly pages: readonly ReportPage[] }> {
  const path = `/reports/api/v7/apps/${appName}/actuals/query`;
  const { task } = (await api.send("POST", path, query)) as { task: { taskId: string } };
  const deadline = Date.now() + patience;
  const pages: ReportPage[] = [];
  for (;;) {
    const skip = pages.length * pageSize;
    const page = (await api.send("GET", `${path}/${task.taskId}?skip=${skip}&size=${pageSize}`)) as ReportPage;
    if (page.task.status === "SUCCESS") {
      pages.push(page);
      if (page.pagination?.hasNext !== true) return { taskId: task.taskId, pages };
    } else if (page.task.status !== "RUNNING" && page.task.status !== "PENDING") {
      throw new Error(`The report ended as ${page.task.status}`);
    } else if (Date.now() > deadline) {
      throw new Error(`The report is still ${page.task.status} after ${patience / 1000} s`);
    } else {
      await pause(pollPause);
    }
  }
}

/** The rows of the demo's report in the form of the simulation's own count. */
export function reportedRows(pages: readonly ReportPage[]): readonly TruthRow[] {
  return pages.flatMap((page) =>
    (page.actuals?.data.rows ?? []).map(({ groupBys: [date = "", channel = "", campaign = ""], values }) => ({
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
