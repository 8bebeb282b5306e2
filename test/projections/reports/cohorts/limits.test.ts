// time limit: 300 s
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportNotification } from "../../../../domain/report-tasks/events.ts";
import type { ReadModel } from "../../../../projections/projection.ts";
import type { ReportLimits } from "../../../../projections/reports/query/report-transaction.ts";
import { runRetention } from "../../../../projections/reports/retention/run.ts";
import { runRevenue } from "../../../../projections/reports/revenue/run.ts";
import { openReportFacts } from "../report-facts.ts";
import { retentionReport } from "../retention/examples.ts";
import { revenueReport } from "../revenue/examples.ts";

interface Range {
  readonly to: string;
  readonly granularity: "day" | "minute";
  readonly groupBys: readonly string[];
}

/** What the limits are about, of either report. */
type Result = {
  readonly rows: readonly { readonly rows: readonly unknown[] }[];
  readonly notifications: readonly ReportNotification[];
} | null;

const runs = {
  retention: (facts: ReadModel, query: Range, now: Date, limits: ReportLimits): Promise<Result> =>
    runRetention(facts, retentionReport(query, { now }), limits),
  revenue: (facts: ReadModel, query: Range, now: Date, limits: ReportLimits): Promise<Result> =>
    runRevenue(facts, revenueReport(query, { now }), limits),
};
const facts = await openReportFacts(
  (readModel, { kind, query, now }: { kind: keyof typeof runs; query: Range; now: Date }, limits) =>
    runs[kind](readModel, query, now, limits),
);

/** Installs of a device each from March 1, so many a group, and a time between them. */
async function writeInstalls(db: Knex, schema: string, count: number, each: number, apart: string): Promise<void> {
  await db.raw(
    `insert into ${schema}.clients (app_id, client_key, device_model)
     select 1, number, 'model ' || lpad(number::text, 5, '0') from generate_series(1, ceil(:count / :each::numeric)) as number`,
    { count, each },
  );
  await db.raw(
    `with written as (
       insert into ${schema}.app_events (app_id, event_id, from_position, at, local_date, local_hour, source, category,
         device_key, client_key, is_first_of_device)
       select 1, gen_random_uuid(), 1, at, (at at time zone 'Asia/Seoul')::date, 0, 'app', 'app_install',
         gen_random_uuid(), number / :each + 1, true
       from generate_series(0, :count - 1) as number
       cross join lateral (select timestamptz '2026-03-01 00:00+09' + number % :each * :apart::interval) as placed (at)
       returning app_id, event_id, at, category, device_key
     )
     insert into ${schema}.targets (app_id, event_id, position, at, category, device_key)
     select app_id, event_id, 1, at, category, device_key from written`,
    { count, each, apart },
  );
}

const limits = suite("the limits of cohort reports");
limits.after(() => facts.close());

interface Limit {
  /** Installs of the largest case, a group's share of them, and the time between those. */
  readonly installs: readonly [count: number, each: number, apart: string];
  readonly query: Range;
  readonly now: string;
  /** How many installs there are, and how many groups and sub-rows of them a result holds; null: none. */
  readonly cases: readonly (readonly [count: number, held: readonly [groups: number, subRows: number] | null])[];
}

const tested: { readonly [limit: string]: Limit } = {
  "10,000 groups": {
    installs: [10_001, 1, "0 s"],
    query: { granularity: "day", to: "2026-03-01", groupBys: ["device_model"] },
    now: "2026-03-01",
    cases: [
      [10_001, [10_000, 10_000]],
      [10_000, [10_000, 10_000]],
      [9_999, [9_999, 9_999]],
    ],
  },
  "50,000 sub-rows, in groups of 80 days": {
    installs: [50_001, 80, "1 day"],
    query: { granularity: "day", to: "2026-05-19", groupBys: ["device_model"] },
    now: "2026-05-19",
    cases: [
      [50_001, [625, 50_000]],
      [50_000, [625, 50_000]],
      [49_999, [625, 49_999]],
    ],
  },
  "5 million cells, 27,624 lines of 181 intervals, in one group": {
    installs: [27_624, 27_624, "1 minute"],
    query: { granularity: "minute", to: "2026-03-20", groupBys: [] },
    now: "2026-05-19",
    cases: [
      [27_624, null],
      [27_623, [1, 27_623]],
      [27_622, [1, 27_622]],
    ],
  },
  "no number of sub-rows of 11 days by minute": {
    installs: [11 * 1_440, 11 * 1_440, "1 minute"],
    query: { granularity: "minute", to: "2026-03-11", groupBys: [] },
    now: "2026-05-19",
    cases: [[11 * 1_440, [1, 11 * 1_440]]],
  },
};

for (const [limit, { installs, query, now, cases }] of Object.entries(tested)) {
  limits(`are ${limit}`, async () => {
    const schema = await facts.write({});
    await writeInstalls(facts.db, schema, ...installs);
    for (const [count, held] of cases) {
      // Those of the last group, the last first.
      await facts.db.raw(
        `delete from ${schema}.app_events where event_id in (
           select event_id from ${schema}.app_events order by client_key desc, at desc limit :count
         )`,
        { count: (await installsIn(schema)) - count },
      );
      // How much is held is one function for both: the second report shows the largest case.
      const kinds = count === cases[0]?.[0] ? (["retention", "revenue"] as const) : (["retention"] as const);
      for (const kind of kinds) {
        const result = await facts.run(schema, { kind, query, now: new Date(`${now}T12:00:00+09:00`) });
        const subRows = result?.rows.reduce((sum, { rows }) => sum + rows.length, 0);
        assert.equal(result && [result.rows.length, subRows], held, `${kind} of ${count}`);
        assert.equal(
          result?.notifications.map(({ code }) => code) ?? [],
          held !== null && held[1] < count ? ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.groups"] : [],
        );
      }
    }
    facts.release(schema);
  });
}

async function installsIn(schema: string): Promise<number> {
  const { rows } = await facts.db.raw<{ rows: { count: number }[] }>(
    `select count(*)::integer as count from ${schema}.app_events`,
  );
  return rows[0]?.count ?? 0;
}

limits.run();
