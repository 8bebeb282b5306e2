import * as fc from "fast-check";
import { filterTypes } from "../../../../domain/reporting/query-validation.ts";
import { revenueMetrics } from "../../../../domain/reporting/revenue/query.ts";
import type { ReadModel } from "../../../../projections/projection.ts";
import { explainActiveUsers } from "../../../../projections/reports/active-users/explain.ts";
import { runActiveUsers } from "../../../../projections/reports/active-users/run.ts";
import { explainActuals } from "../../../../projections/reports/actuals/explain.ts";
import { runActuals } from "../../../../projections/reports/actuals/run.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { explainRetention } from "../../../../projections/reports/retention/explain.ts";
import { runRetention } from "../../../../projections/reports/retention/run.ts";
import { explainRevenue, revenueTotals } from "../../../../projections/reports/revenue/explain.ts";
import { runRevenue } from "../../../../projections/reports/revenue/run.ts";
import { type ActiveUsersAt, activeUsersReport } from "../active-users/examples.ts";
import { aQuestion } from "../actuals/generated.ts";
import { dates } from "../actuals/generated-facts.ts";
import { type ReferenceQuestion, reportTime } from "../actuals/reference.ts";
import { retentionReport } from "../retention/examples.ts";
import { revenueReport } from "../revenue/examples.ts";

/** Everything that somebody learns of a report. */
interface Results {
  /** The result, and what is behind cells of it. */
  all(): Promise<readonly unknown[]>;
  /** What is shown of each cell, or `hidden`, but neither 0 nor no value. */
  readonly shown: ReadonlyMap<string, string>;
}

/** A kind of report: random questions about the last dates of February and the first of March, and their results. */
export interface RandomReport<Report> {
  /** @param filtered the dimensions that questions filter by */
  questions(filtered: readonly string[]): fc.Arbitrary<Report>;
  results(facts: ReadModel, report: Report): Promise<Results>;
}

export const hidden = "hidden";

type Cell = readonly [of: readonly unknown[], value: string | number | null];

function shownOf(cells: readonly Cell[]): Results["shown"] {
  const some = cells.filter(([, value]) => value !== null && Number(value) !== 0);
  return new Map(some.map(([of, value]) => [JSON.stringify(of), String(value)]));
}

const limits = { timeoutMs: 60_000 };
const page = { skip: 0, size: 40 };
const groupBys = ["channel", "campaign", "sub_id_1", "event_date", "event_hour", "event_month", "os_name", "country"];
const values: { readonly [dimension: string]: readonly string[] } = {
  channel: ["twitter", "tiktok", "friends", "partner", "unattributed", "t*t"],
  campaign: ["spring", "봄", ""],
  event_date: ["2026-03-01", "*-03-*"],
  os_name: ["iOS", ""],
};

const common = (filtered: readonly string[]) => ({
  dates: fc.oneof(
    fc.constant(["2026-02-27", "2026-03-02"]),
    fc.tuple(fc.constantFrom(...dates), fc.constantFrom(...dates)),
  ),
  groupBys: fc.uniqueArray(fc.constantFrom(...groupBys), { maxLength: 3 }),
  filters: fc.array(
    fc.constantFrom(...filtered).chain((dimension) =>
      fc.record({
        dimension: fc.constant(dimension),
        filterType: fc.constantFrom(...filterTypes),
        values: fc.subarray([...(values[dimension] ?? [])], { minLength: 1 }),
      }),
    ),
    { maxLength: 1 },
  ),
  position: fc.oneof(fc.constant(9n), fc.bigInt({ min: 1n, max: 9n })),
  now: fc
    .constantFrom("2026-03-02", "2026-03-06", "2026-04-10", "2026-08-23", "2026-09-30")
    .map((day) => new Date(`${day}T16:00:00Z`)),
});

const sortedBy = (
  fields: readonly string[],
  groupBys: readonly string[],
  [field, isAscending]: readonly [number, boolean],
) => {
  const sortable = [...fields, ...groupBys];
  return [{ fieldName: sortable[field % sortable.length] ?? "", isAscending }];
};
const aSort = fc.tuple(fc.nat(), fc.boolean());
const rangeOf = ([one = "", other = ""]: readonly string[]) =>
  one < other ? { from: one, to: other } : { from: other, to: one };
const isFine = (granularity: string): boolean => granularity === "hour" || granularity === "minute";
const granularity = fc.constantFrom(
  "day" as const,
  "day" as const,
  "week" as const,
  "month" as const,
  "hour" as const,
  "minute" as const,
);
const returnEvents = fc.subarray(["app_order_complete", "app_first_order_complete", "app_subscribe"] as const, {
  minLength: 1,
});

/** The first and the last: what is withheld whole is at an end where rows are sorted by what is unmasked. */
function endsOf<Row>(rows: readonly Row[]): readonly Row[] {
  return rows.filter((_, index) => index === 0 || index === rows.length - 1);
}

const each = async <Of>(of: readonly Of[], explain: (one: Of) => Promise<unknown>): Promise<readonly unknown[]> => {
  const explained: unknown[] = [];
  for (const one of of) explained.push(await explain(one));
  return explained;
};

export const actuals: RandomReport<ReferenceQuestion> = {
  questions: (filtered) =>
    aQuestion.map((question) => {
      const filters = question.query.filters.filter(({ dimension }) => filtered.includes(dimension));
      return { ...question, query: { ...question.query, filters } };
    }),
  results: async (facts, question) => {
    const report = { ...reportTime, ...question, position: BigInt(question.position) };
    const result = await runActuals(facts, report, limits);
    const cells = endsOf(result.rows).flatMap(({ groupBys }) =>
      report.query.metrics.map((metric) => ({ groupBys, metric })),
    );
    return {
      all: async () => [result, ...(await each(cells, (cell) => explainActuals(facts, report, cell, page, limits)))],
      shown: shownOf(
        result.rows.flatMap(({ groupBys, values }) => values.map((value, index) => [[groupBys, index], value])),
      ),
    };
  },
};

export const retention: RandomReport<ReportAt<"retention">> = {
  questions: (filtered) =>
    fc
      .record({
        ...common(filtered),
        granularity,
        returnEvents,
        sort: aSort,
        measurementOption: fc.constantFrom("general_retention" as const, "confined_retention" as const),
      })
      .map(({ dates, sort, position, now, ...query }) =>
        retentionReport(
          { ...query, ...rangeOf(dates), sorts: sortedBy(["startUsers"], query.groupBys, sort) },
          { position, now },
        ),
      ),
  results: async (facts, report) => {
    const result = await runRetention(facts, report, limits);
    const cells = endsOf(result?.rows ?? []).flatMap(({ groupBys }) =>
      [null, 0].flatMap((block) => [null, 0, 1, 2].map((interval) => ({ groupBys, block, interval }))),
    );
    const lines = (result?.rows ?? []).flatMap(({ groupBys, total, rows }) => [
      { line: [groupBys], ...total },
      ...rows.map((row) => ({ line: [groupBys, row.date], ...row })),
    ]);
    return {
      all: async () => [result, ...(await each(cells, (cell) => explainRetention(facts, report, cell, page, limits)))],
      shown: shownOf(
        lines.flatMap(({ line, startUsers, values }) =>
          [startUsers, ...values].map((value, index) => [[line, index], value ?? hidden] as const),
        ),
      ),
    };
  },
};

export const revenue: RandomReport<ReportAt<"revenue">> = {
  questions: (filtered) =>
    fc
      .record({
        ...common(filtered),
        granularity,
        returnEvents,
        sort: aSort,
        metric: fc.constantFrom(...revenueMetrics),
        onDay: fc.boolean(),
        includesTotal: fc.boolean(),
      })
      .map(({ dates, sort, position, now, onDay, ...query }) => {
        const isOnDay = onDay && query.metric !== "app_roas" && query.metric !== "app_arpu";
        const sorts = sortedBy([...revenueTotals, query.metric], query.groupBys, sort);
        const aggregationType = isOnDay ? ("on-day" as const) : ("cumulative" as const);
        return revenueReport({ ...query, ...rangeOf(dates), aggregationType, sorts }, { position, now });
      }),
  results: async (facts, report) => {
    const { metric } = report.query;
    const result = await runRevenue(facts, report, limits);
    const counted = [...revenueTotals.map((total) => ({ total })), { metric, interval: 0 }, { metric, interval: 1 }];
    const cells = endsOf(result?.rows ?? []).flatMap(({ groupBys }) =>
      [null, 0].flatMap((block) => counted.map((counts) => ({ groupBys, block, counts }))),
    );
    const lines = (result?.rows ?? []).flatMap(({ groupBys, total, rows }) => [
      { line: [groupBys], ...total },
      ...rows.map((row) => ({ line: [groupBys, row.date], ...row })),
    ]);
    return {
      all: async () => [result, ...(await each(cells, (cell) => explainRevenue(facts, report, cell, page, limits)))],
      shown: shownOf(
        lines.flatMap(({ line, totalUniqueUsers, totalRevenue, values }) =>
          [totalUniqueUsers.value, totalRevenue.value, ...values].map(
            (value, index) => [[line, index], value] as const,
          ),
        ),
      ),
    };
  },
};

const activeMetrics = ["app_au", "app_pu", "app_revenue", "app_arpu", "app_arppu"] as const;

export const activeUsers: RandomReport<ActiveUsersAt> = {
  questions: (filtered) =>
    fc
      .record({
        ...common(filtered),
        granularity,
        metrics: fc.subarray([...activeMetrics], { minLength: 1 }),
        onlyChannels: fc.constantFrom(null, null, ["twitter"], ["tiktok", "partner"], []),
      })
      .map(({ dates, position, now, onlyChannels, ...query }) => {
        const range = rangeOf(dates);
        // Minutes of a date are enough.
        const to = isFine(query.granularity) ? range.from : range.to;
        return activeUsersReport({ ...query, ...range, to }, { position, now, onlyChannels });
      }),
  results: async (facts, report) => {
    const result = await runActiveUsers(facts, report, limits);
    const cells = endsOf(result.rows).flatMap(({ groupBys, intervals }) =>
      intervals
        .slice(0, 2)
        .flatMap((interval) => report.query.metrics.map((metric) => ({ groupBys, interval, metric }))),
    );
    return {
      all: async () => [
        result,
        ...(await each(cells, (cell) => explainActiveUsers(facts, report, cell, page, limits))),
      ],
      shown: shownOf(
        result.rows.flatMap(({ groupBys, intervals, values }) =>
          intervals.flatMap((interval, index) =>
            (values[index] ?? []).map((value, metric) => [[groupBys, interval, metric], value] as const),
          ),
        ),
      ),
    };
  },
};
