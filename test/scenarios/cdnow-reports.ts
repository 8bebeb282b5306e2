import * as assert from "uvu/assert";
import { runReport } from "../../client/index.ts";
import { addDays, type LocalDate } from "../../domain/values/local-time.ts";
import type { TestClient } from "../support/typed-client.ts";
import type { CohortLine, Unit } from "./cdnow-cohorts.ts";

/** The client that requests the reports, and their position. */
export interface Requested {
  readonly owner: TestClient;
  readonly asOf: string;
  /** First date of the history. */
  readonly from: LocalDate;
}

export interface Sums {
  readonly installs: number;
  readonly orders: number;
  readonly cents: number;
}

/** By the first group-by, or `name` where there is none. */
export async function reportedActuals(
  { owner, asOf }: Requested,
  question: { readonly from: LocalDate; readonly to: LocalDate; readonly groupBys: readonly string[] },
  name: string,
): Promise<Record<string, Sums>> {
  const metrics = ["app_installs", "app_order_complete", "app_revenue"];
  const query = { ...question, metrics, filters: [], sorts: [], asOf };
  const { pages } = await runReport(owner, "actuals", "cdnow", query);
  const rows = pages.flatMap((page) => page.actuals.data.rows);
  return Object.fromEntries(
    rows.map(({ groupBys: [key = name], values }) => [
      key,
      {
        installs: values.app_installs?.value ?? 0,
        orders: values.app_order_complete?.value ?? 0,
        cents: Math.round((values.app_revenue?.value ?? 0) * 100),
      },
    ]),
  );
}

export interface RequestedRevenue {
  readonly metric: "app_revenue" | "app_arpu" | "app_user_count";
  readonly aggregationType: "cumulative" | "on-day";
  readonly granularity: Unit;
}

/** The lines of each group, by the only group-by, or "". */
export async function reportedRevenue(
  { owner, asOf, from }: Requested,
  requested: RequestedRevenue,
  fields: readonly string[],
): Promise<Map<string, readonly CohortLine[]>> {
  const query = {
    ...{ from, to: addDays(from, 91), asOf, groupBy: { fields }, filters: [], sorts: [], ...requested },
    ...({ startEvents: ["app_install"], returnEvents: ["app_order_complete"] } as const),
  };
  const { pages } = await runReport(owner, "revenue", "cdnow", query);
  const groups = pages.flatMap((page) => page.data.stats.rows);
  return new Map(
    groups.map(({ metadata: [campaign = ""], total, rows }) => [
      campaign,
      [{ name: "all", values: total.values, total }, ...rows.map((row) => ({ ...row, name: row.date }))].map((row) => ({
        name: row.name,
        users: unmasked(row.total.totalUniqueUsers),
        revenue: unmasked(row.total.totalRevenue),
        cells: row.values.map(unmasked),
      })),
    ]),
  );
}

export interface RetentionLines {
  readonly values: readonly CohortLine[];
  readonly rates: readonly CohortLine[];
}

export async function reportedRetention(
  { owner, asOf, from }: Requested,
  granularity: Unit,
  fields: readonly string[],
): Promise<Map<string, RetentionLines>> {
  const query = {
    ...{ from, to: addDays(from, 91), asOf, groupBy: { fields }, filters: [], sorts: [], granularity },
    ...({ startEvent: ["app_installs"], returnEvents: ["app_order_complete"] } as const),
    measurementOption: "general_retention" as const,
  };
  const { pages } = await runReport(owner, "retention", "cdnow", query);
  const groups = pages.flatMap((page) => page.retention.data.rows);
  return new Map(
    groups.map(({ groupBys: [campaign = ""], total, rows }) => {
      const all = [{ name: "all", ...total }, ...rows.map((row) => ({ ...row, name: row.date }))];
      const linesOf = (shownCell: (cell: (typeof total.values)[number]) => number | null): readonly CohortLine[] =>
        all.map(({ name, startUsers, values }) => ({
          name,
          users: unmasked(startUsers),
          revenue: null,
          cells: values.map(shownCell),
        }));
      return [campaign, { values: linesOf(unmasked), rates: linesOf(({ rate }) => rate) }];
    }),
  );
}

function unmasked({ value, isMasked }: { readonly value: number | null; readonly isMasked: boolean }): number | null {
  assert.is(isMasked, false);
  return value;
}
