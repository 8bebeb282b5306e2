import type { ReadModel } from "../projections/projection.ts";
import { runActiveUsers } from "../projections/reports/active-users/run.ts";
import { runActuals } from "../projections/reports/actuals/run.ts";
import type { ReportScope } from "../projections/reports/query/query-context.ts";
import { runRetention } from "../projections/reports/retention/run.ts";
import { runRevenue } from "../projections/reports/revenue/run.ts";
import { benchReportPage } from "./report-page.ts";
import type { BenchLine } from "./support/bench-line.ts";
import { reportDays } from "./support/report-data.ts";
import { fullSize, openReportDatabase, requestedSize } from "./support/report-database.ts";
import { reportApp } from "./support/report-dimensions.ts";
import { plainStatements } from "./support/report-plain-statements.ts";

const rounds = 5;
const limits = { timeoutMs: 120_000 };
const common = ["clicks", "impressions", "ctr", "app_installs", "app_order_complete"];
const query = { ...reportDays, filters: [], sorts: [], groupBys: [] };
const perCampaign = { ...query, groupBys: ["event_date", "channel", "campaign"] };
const fixedScope: ReportScope = {
  appId: reportApp.id,
  currency: reportApp.currency,
  timezone: reportApp.timezone,
  onlyChannels: null,
  position: 10n ** 15n,
  now: new Date("2026-04-02T14:59:59.000Z"),
};

interface Measured {
  readonly path: string;
  readonly plain: keyof typeof plainStatements;
  /** Milliseconds. */
  readonly maxMs: number;
  /** Required ratio of the plain statement's time to the report's, at full size. */
  readonly minSpeedup: number;
  run(facts: ReadModel): Promise<unknown>;
}

const measured: readonly Measured[] = [
  {
    path: "actuals, 3 group-bys, 6 metrics",
    plain: "actuals",
    maxMs: 800,
    minSpeedup: 3,
    run: (facts) =>
      runActuals(facts, { ...fixedScope, query: { ...perCampaign, metrics: [...common, "app_revenue"] } }, limits),
  },
  {
    path: "actuals, 3 group-bys, 6 metrics, one of them distinct devices, by date",
    plain: "distinctByDate",
    maxMs: 1_500,
    minSpeedup: 3,
    run: (facts) =>
      runActuals(facts, { ...fixedScope, query: { ...perCampaign, metrics: [...common, "app_opens_users"] } }, limits),
  },
  {
    path: "actuals, 2 group-bys, distinct devices over all days",
    plain: "distinctOverall",
    maxMs: 1_500,
    minSpeedup: 0,
    run: (facts) => {
      const withDevices = { ...query, groupBys: ["channel", "campaign"], metrics: ["app_opens", "app_opens_users"] };
      return runActuals(facts, { ...fixedScope, query: withDevices }, limits);
    },
  },
  {
    path: "daily retention, 92 cohorts, every interval reached",
    plain: "retention",
    maxMs: 1_500,
    minSpeedup: 0,
    run: (facts) =>
      runRetention(
        facts,
        {
          ...fixedScope,
          query: {
            ...query,
            granularity: "day",
            startEvents: ["app_installs"],
            returnEvents: ["app_order_complete"],
            measurementOption: "general_retention",
          },
        },
        limits,
      ),
  },
  {
    path: "cumulative revenue by channel",
    plain: "revenue",
    maxMs: 1_500,
    minSpeedup: 0,
    run: (facts) =>
      runRevenue(
        facts,
        {
          ...fixedScope,
          query: {
            ...query,
            groupBys: ["channel"],
            granularity: "day",
            startEvents: ["app_install"],
            returnEvents: ["app_order_complete", "app_subscribe"],
            metric: "app_revenue",
            aggregationType: "cumulative",
            includesTotal: false,
          },
        },
        limits,
      ),
  },
  ...(["day", "month"] as const).map(
    (granularity): Measured => ({
      path: `active users by ${granularity}`,
      plain: granularity === "day" ? "activeByDay" : "activeByMonth",
      maxMs: granularity === "day" ? 800 : 1_500,
      minSpeedup: 0,
      run: (facts) =>
        runActiveUsers(facts, { ...fixedScope, query: { ...query, granularity, metrics: ["app_au"] } }, limits),
    }),
  ),
];

/** Each kind of report over 92 days, next to plain SQL over the same data; then a page of a stored report. */
export async function benchReports(): Promise<readonly BenchLine[]> {
  const size = requestedSize();
  const { db, schema, plain, close } = await openReportDatabase(size);
  try {
    const lines: BenchLine[] = [];
    for (const { path, plain: name, maxMs, minSpeedup, run } of measured) {
      const reportMs = await fastest(() => run({ db, schema }));
      const plainMs = await fastest(() => db.raw(plainStatements[name](plain)));
      lines.push({
        path: `${path}, ${(size.appEvents / 1e6).toLocaleString("en")} million app events`,
        measured: reportMs,
        unit: "ms",
        limit: plainMs,
        ratio: reportMs / plainMs,
        target: `< ${maxMs} ms${minSpeedup === 0 ? "" : `, ${minSpeedup} times faster than plain SQL`}`,
        met: reportMs < maxMs && (size.appEvents < fullSize.appEvents || reportMs * minSpeedup < plainMs),
      });
    }
    return [...lines, await benchReportPage()];
  } finally {
    await close();
  }
}

/** Milliseconds of the fastest of several rounds, because the machine may be busy in some. */
async function fastest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now();
    await work();
    best = Math.min(best, performance.now() - since);
  }
  return Math.round(best);
}
