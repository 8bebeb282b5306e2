// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { intervalsOf } from "../../../../domain/reporting/active-users/intervals.ts";
import { activeUsersValue, noActivity } from "../../../../domain/reporting/active-users/metrics.ts";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import { type ActiveUsersCell, explainActiveUsers } from "../../../../projections/reports/active-users/explain.ts";
import { ratesOf } from "../actuals/advertising.ts";
import { rounded } from "../actuals/reference-measures.ts";
import { allPages, assertAddUp, cellOf } from "../explain/explained.ts";
import { uuidOf } from "../facts.ts";
import { type ActiveUsersAt, activeUsersReport, did, openActiveUsersFacts } from "./examples.ts";
import { aHistory, aRate } from "./generated.ts";

const facts = await openActiveUsersFacts();
const historiesAtOnce = 10;

const explaining = suite("explaining a cell of an active users report");
explaining.after(() => facts.close());

function explained(schema: string, report: ActiveUsersAt, cell: ActiveUsersCell, size = 100) {
  return allPages(size, (page) =>
    explainActiveUsers({ db: facts.db, schema }, report, cell, page, { timeoutMs: 60_000 }),
  );
}

/** The rows of histories that had some. */
let explainedRows = 0;

for (const granularity of granularities) {
  explaining(`by ${granularity} lists contributions whose exact sum is the cell`, async () => {
    const someHistories = fc.tuple(
      ...Array.from({ length: historiesAtOnce }, (_, index) => aHistory(index + 1, granularity)),
    );
    await fc.assert(
      fc.asyncProperty(someHistories, aRate, fc.nat(), fc.constantFrom(2, 100), async (all, rate, drawn, size) => {
        const schema = await facts.write({
          appEvents: all.flatMap(({ events }) => events),
          uploads: { rates: ratesOf(rate.date, "EUR", { KRW: String(rate.won) }, rate.from) },
        });
        for (const [index, { question }] of all.entries()) {
          const { query, position, ...more } = question;
          const report = activeUsersReport(query, { ...more, appId: index + 1, position: BigInt(position) });
          const { rows } = await facts.run(schema, report);
          const row = rows[drawn % Math.max(1, rows.length)];
          if (row === undefined) continue;
          explainedRows += 1;
          const somewhere = drawn % intervalsOf(report.query, report.timezone).count;
          const happening = row.intervals[drawn % Math.max(1, row.intervals.length)] ?? somewhere;
          for (const interval of new Set([happening, somewhere])) {
            const happened = row.values[row.intervals.indexOf(interval)];
            for (const [place, metric] of report.query.metrics.entries()) {
              const shown = happened === undefined ? activeUsersValue(metric, noActivity) : (happened[place] ?? null);
              const parts = await explained(schema, report, { groupBys: row.groupBys, metric, interval }, size);
              const isRatio = parts.length > 1 && shown !== null;
              const about = JSON.stringify({ metric, interval, question });
              assert.equal(cellOf(parts), isRatio ? rounded(Number(shown)) : shown, about);
              assertAddUp(parts, about);
            }
          }
        }
        facts.release(schema);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
}

explaining("has explained at least 10 rows of the generated histories", () => {
  assert.ok(explainedRows >= 10, `${explainedRows} rows`);
});

explaining("of users lists every event of the interval; the first of each device counts", async () => {
  const schema = await facts.write({
    appEvents: [
      did("app_open", "2026-03-02T10:00", 1),
      did("app_open", "2026-03-02T09:00", 1, { from: 2 }),
      did("app_order_complete", "2026-03-02T23:59", 2, { from: 3 }),
      did("app_open", "2026-03-03T00:00", 1, { from: 4 }),
    ],
  });
  const explainedAs = async (metric: ActiveUsersCell["metric"], interval: number) => {
    const parts = await explained(schema, activeUsersReport(), { groupBys: [], metric, interval });
    return parts.map(({ sum, contributions }) => [
      sum,
      ...contributions.map(({ fact, contribution }) => ["eventId" in fact && fact.eventId, contribution]),
    ]);
  };
  assert.equal(await explainedAs("app_au", 0), [["2", [uuidOf(0), "0"], [uuidOf(1), "1"], [uuidOf(2), "1"]]]);
  assert.equal(await explainedAs("app_au", 1), [["1", [uuidOf(3), "1"]]]);
  assert.equal(await explainedAs("app_pu", 0), [["1", [uuidOf(2), "1"]]]);
  assert.equal(await explainedAs("app_pu", 1), [["0"]]);
});

explaining("per user lists the revenue and the users", async () => {
  const schema = await facts.write({
    appEvents: [
      did("app_order_complete", "2026-03-02T10:00", 1, { cents: 1_000 }),
      did("app_order_cancel", "2026-03-02T11:00", 1, { cents: 300, from: 2 }),
      did("app_order_complete", "2026-03-02T11:00", 2, { cents: 100, currency: "USD", from: 3 }),
    ],
  });
  const parts = await explained(schema, activeUsersReport(), { groupBys: [], metric: "app_arppu", interval: 0 });
  assert.equal(
    parts.map(({ counts, sum, found, unconverted }) => [counts.kind, sum, found, unconverted]),
    [
      ["money", "7", 2, { count: 1, currencies: ["USD"] }],
      ["devices", "2", 2, { count: 0, currencies: [] }],
    ],
  );
  assert.equal(
    parts[0]?.contributions.map(({ contribution }) => contribution),
    ["10", "-3"],
  );
});

explaining.run();
