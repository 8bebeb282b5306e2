// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { beginningOf, granularities, unitsBetween } from "../../../../domain/reporting/granularity.ts";
import type { RetentionLine } from "../../../../domain/reporting/retention/row.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { explainRetention, type RetentionCell } from "../../../../projections/reports/retention/explain.ts";
import type { RetentionRow } from "../../../../projections/reports/retention/run.ts";
import { someFlags } from "../cohorts/generated.ts";
import { allPages, assertAddUp } from "../explain/explained.ts";
import { uuidOf } from "../facts.ts";
import { twitter } from "../masking/networks.ts";
import { happened, openRetentionFacts, ordered, retentionReport } from "./examples.ts";
import { someHistories } from "./generated.ts";

type Report = ReportAt<"retention">;

const facts = await openRetentionFacts();
const explaining = suite("explaining a cell of a retention report");
explaining.after(() => facts.close());

function explained(schema: string, report: Report, cell: RetentionCell, size = 100) {
  return allPages(size, (page) =>
    explainRetention({ db: facts.db, schema }, report, cell, page, { timeoutMs: 60_000 }),
  );
}

async function checkLine(
  schema: string,
  report: Report,
  { groupBys }: RetentionRow,
  line: RetentionLine & { readonly date?: string },
  drawn: number,
) {
  const { query, timezone } = report;
  const { date } = line;
  const first = beginningOf(query.from, timezone);
  const block = date === undefined ? null : unitsBetween(query.granularity, first, { date, instant: Date.parse(date) });
  const someone = line.values.findIndex((value) => value !== 0);
  const intervals = line.values.length === 0 ? [] : [0, drawn % line.values.length, Math.max(0, someone)];
  for (const interval of [null, ...new Set(intervals)]) {
    const shown = interval === null ? line.startUsers : (line.values[interval] ?? null);
    const parts = await explained(schema, report, { groupBys, block, interval }, drawn % 2 === 0 ? 2 : 100);
    const about = JSON.stringify({ ...report, position: Number(report.position), interval, groupBys, date });
    assert.is(parts.length, 1);
    for (const { sum, maskingReasons } of parts) {
      assert.is(maskingReasons.length > 0, shown === null, about);
      if (shown !== null) assert.is(sum, String(shown), about);
    }
    assertAddUp(parts, about);
  }
}

/** The rows of histories that had some. */
let explainedRows = 0;

for (const granularity of granularities) {
  explaining(`by ${granularity} lists contributions whose exact sum is the cell`, async () => {
    await fc.assert(
      fc.asyncProperty(someHistories(8, granularity), someFlags, fc.nat(), async (histories, channelFlags, drawn) => {
        const schema = await facts.write(
          histories.flatMap(({ events }) => events),
          { channelFlags },
        );
        for (const { question: report } of histories) {
          const rows = (await facts.run(schema, report))?.rows ?? [];
          const row = rows[drawn % Math.max(1, rows.length)];
          if (row === undefined) continue;
          explainedRows += 1;
          await checkLine(schema, report, row, row.total, drawn);
          const subRow = row.rows[drawn % Math.max(1, row.rows.length)];
          if (subRow !== undefined) await checkLine(schema, report, row, subRow, drawn);
        }
        facts.release(schema);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
}

explaining("has explained at least 5 rows of the generated histories", () => {
  assert.ok(explainedRows >= 5, `${explainedRows} rows`);
});

explaining("lists starts, and returns with their start; the first of each device counts", async () => {
  const schema = await facts.write([
    happened("2026-03-01T09:00:00+09:00"),
    happened("2026-03-02T09:00:00+09:00", { from: 2 }),
    ordered("2026-03-02T10:00:00+09:00", 1, { from: 3 }),
    ordered("2026-03-03T10:00:00+09:00", 1, { from: 4 }),
  ]);
  const explainedAs = async (block: number | null, interval: number | null) => {
    const [part] = await explained(schema, retentionReport(), { groupBys: [], block, interval });
    return part?.contributions.map(({ fact, contribution }) => {
      return fact.kind === "app_event" ? [fact.eventId, fact.startEventId, contribution] : fact;
    });
  };
  assert.equal(await explainedAs(null, null), [
    [uuidOf(0), undefined, "1"],
    [uuidOf(1), undefined, "0"],
  ]);
  assert.equal(await explainedAs(1, null), [[uuidOf(1), undefined, "1"]]);
  assert.equal(await explainedAs(null, 1), [
    [uuidOf(2), uuidOf(0), "1"],
    [uuidOf(3), uuidOf(1), "0"],
  ]);
  assert.equal(await explainedAs(0, 1), [[uuidOf(2), uuidOf(0), "1"]]);
});

explaining("names the latest start of the cell that a return counts for", async () => {
  const schema = await facts.write([
    happened("2026-03-01T09:00:00+09:00"),
    happened("2026-03-02T09:00:00+09:00", { from: 2 }),
    ordered("2026-03-03T10:00:00+09:00", 1, { from: 3 }),
  ]);
  const cell: RetentionCell = { groupBys: [], block: 0, interval: 0 };
  const [part] = await explained(schema, retentionReport({ granularity: "week" }), cell);
  assert.equal(
    part?.contributions.map(({ fact }) => fact.kind === "app_event" && [fact.eventId, fact.startEventId]),
    [[uuidOf(2), uuidOf(1)]],
  );
});

explaining("has no reason of a withheld start in an interval that has not begun for its block", async () => {
  const withheld = { device: 2, label: { source: twitter, kind: "click" as const } };
  const schema = await facts.write([
    happened("2026-03-01T10:00:00+09:00"),
    happened("2026-03-03T10:00:00+09:00", withheld),
    ordered("2026-03-04T11:00:00+09:00", 1),
  ]);
  const reasonsIn = async (interval: number) => {
    const parts = await explained(schema, retentionReport(), { groupBys: [], block: null, interval });
    return parts.map(({ sum, maskingReasons }) => [sum, maskingReasons]);
  };
  assert.equal(await reasonsIn(1), [["0", ["small_month"]]]);
  assert.equal(await reasonsIn(2), [["0", []]]);
  assert.equal(await reasonsIn(3), [["1", []]]);
});

explaining.run();
