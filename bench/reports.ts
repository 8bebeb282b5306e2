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
  /** Longest time, milliseconds. */
  readonly most: number;
  /** How many times faster than the plain statement it is to be, at full size. */
  readonly times: number;
  run(facts: ReadModel): Promise<unknown>;
}

const measured: readonly Measured[] = [
  {
    path: "actuals, 3 group-bys, 6 metrics",
    plain: "actuals",
    most: 800,
    times: 3,
    run: (facts) =>
      runActuals(facts, { ...fixedScope, query: { ...perCampaign, metrics: [...common, "app_revenue"] } }, limits),
  },
  {
    path: "actuals, 3 group-bys, 6 metrics, one of them distinct devices, by date",
    plain: "distinctByDate",
    most: 1_500,
    times: 3,
    run: (facts) =>
      runActuals(facts, { ...fixedScope, query: { ...perCampaign, metrics: [...common, "app_opens_users"] } }, limits),
  },
  {
    path: "actuals, 2 group-bys, distinct devices over all days",
    plain: "distinctOverall",
    most: 1_500,
    times: 0,
    run: (facts) => {
      const withDevices = { ...query, groupBys: ["channel", "campaign"], metrics: ["app_opens", "app_opens_users"] };
      return runActuals(facts, { ...fixedScope, query: withDevices }, limits);
    },
  },
  {
    path: "daily retention, 92 cohorts, every interval reached",
    plain: "retention",
    most: 1_500,
    times: 0,
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
    most: 1_500,
    times: 0,
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
      most: granularity === "day" ? 800 : 1_500,
      times: 0,
      run: (facts) =>
        runActiveUsers(facts, { ...fixedScope, query: { ...query, granularity, metrics: ["app_au"] } }, limits),
    }),
  ),
];

/** Every kind of report over 92 days, each next to plain SQL for it over the same data; then a page of a stored one. */
export async function benchReports(): Promise<readonly BenchLine[]> {
  const size = requestedSize();
  const { db, schema, plain, close } = await openReportDatabase(size);
  try {
    const lines: BenchLine[] = [];
    for (const { path, plain: name, most, times, run } of measured) {
      const ours = await fastest(() => run({ db, schema }));
      const theirs = await fastest(() => db.raw(plainStatements[name](plain)));
      lines.push({
        path: `${path}, ${(size.appEvents / 1e6).toLocaleString("en")} million app events`,
        measured: ours,
        unit: "ms",
        limit: theirs,
        ratio: ours / theirs,
        target: `< ${most} ms${times === 0 ? "" : `, ${times} times faster than plain SQL`}`,
        met: ours < most && (size.appEvents < fullSize.appEvents || ours * times < theirs),
      });
    }
    return [...lines, await benchReportPage()];
  } finally {
    await close();
  }
}

/** Milliseconds of the fastest of some rounds: the machine may be busy at one of the times. */
async function fastest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now();
    await work();
    best = Math.min(best, performance.now() - since);
  }
  return Math.round(best);
}
