import { DateTime } from "luxon";
import type { RevenueQuery } from "../../../../domain/reporting/revenue/query.ts";
import type { RevenueTotals } from "../../../../domain/reporting/revenue/row.ts";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { type RevenueResult, runRevenue } from "../../../../projections/reports/revenue/run.ts";
import { testPostgres } from "../../../support/stores.ts";
import { type Advertised, install } from "../actuals/advertising.ts";
import { type AppEvent, factsSchemas } from "../facts.ts";
import { noUploads } from "../uploads.ts";

export const timezone = "Asia/Seoul";

/** What a device did at an instant; the date and hour are those of a zone. */
export function happened(at: string, more: Partial<AppEvent> = {}, zone = timezone): AppEvent {
  const local = DateTime.fromISO(at, { zone });
  return { ...install, from: 1, at, date: local.toISODate() ?? "", hour: local.hour, ...more };
}

export const paid = (at: string, device: number, cents: number | null, more: Partial<AppEvent> = {}): AppEvent =>
  happened(at, { category: "app_order_complete", device, cents, ...more });

/** Cumulative revenue of March 1, by its date, asked at noon of March 3 at position 9, in won. */
export function askRevenue(
  query: Partial<RevenueQuery> = {},
  more: Partial<Omit<ReportAt<"revenue">, "query">> = {},
): ReportAt<"revenue"> {
  return {
    appId: 1,
    currency: "KRW",
    timezone,
    onlyChannels: null,
    position: 9n,
    now: new Date("2026-03-03T12:00:00+09:00"),
    ...more,
    query: {
      from: "2026-03-01",
      to: "2026-03-01",
      groupBys: [],
      filters: [],
      granularity: "day",
      startEvents: ["app_install"],
      returnEvents: ["app_order_complete"],
      metric: "app_revenue",
      aggregationType: "cumulative",
      sorts: [],
      includesTotal: false,
      ...query,
    },
  };
}

/** Answers revenue reports over facts, each set of them in a schema of its own. */
export async function openRevenueFacts() {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  const schemas = factsSchemas(db);
  const write = ({ touchpoints = [], appEvents = [], uploads = {}, channelFlags = [] }: Advertised) =>
    schemas.write({ touchpoints, appEvents, uploads: { ...noUploads, ...uploads }, channelFlags });
  const run = (schema: string, report: ReportAt<"revenue">): Promise<RevenueResult | null> =>
    runRevenue({ db, schema }, report, { timeoutMs: 30_000 });
  const answer = async (advertised: Advertised, report: ReportAt<"revenue">): Promise<RevenueResult> => {
    const schema = await write(advertised);
    const result = await run(schema, report);
    schemas.release(schema);
    if (result === null) throw new Error("The report is too large");
    return result;
  };
  return {
    db,
    write,
    run,
    answer,
    release: schemas.release,
    close: () => db.destroy(),
  };
}

/** The values of a line, those that lost something with a plus sign. */
export function valuesOf({ values, masked }: Pick<RevenueTotals, "values" | "masked">): readonly (string | null)[] {
  return values.map((value, interval) => (masked.includes(interval) ? `${value}+` : value));
}

/** Users, revenue and cost of a line, those that lost something with a plus sign. */
export function totalsOf({ totalUniqueUsers, totalRevenue, totalCost }: RevenueTotals): readonly (string | null)[] {
  return [totalUniqueUsers, totalRevenue, totalCost].map(({ value, isMasked }) => (isMasked ? `${value}+` : value));
}
