// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { beginningOf, granularities, unitsBetween } from "../../../../domain/reporting/granularity.ts";
import type { RevenueTotals } from "../../../../domain/reporting/revenue/row.ts";
import type { ExplainedPart } from "../../../../projections/reports/explain/explanation.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { explainRevenue, type RevenueCell, revenueTotals } from "../../../../projections/reports/revenue/explain.ts";
import type { RevenueGroup } from "../../../../projections/reports/revenue/run.ts";
import { ratesOf, spend } from "../actuals/advertising.ts";
import { rounded } from "../actuals/reference-measures.ts";
import { allPages, assertAddUp, cellOf, hasExcluded, sums } from "../explain/explained.ts";
import { uuidOf } from "../facts.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, paid, revenueReport } from "./examples.ts";
import { someHistories } from "./generated.ts";

type Report = ReportAt<"revenue">;
type Counts = RevenueCell["counts"];

const facts = await openRevenueFacts();
const explaining = suite("explaining a cell of a revenue report");
explaining.after(() => facts.close());

function explained(schema: string, report: Report, cell: RevenueCell, size = 100): Promise<readonly ExplainedPart[]> {
  return allPages(size, (page) => explainRevenue({ db: facts.db, schema }, report, cell, page, { timeoutMs: 60_000 }));
}

/** The value of a part: no spend is no cost, and there is none where all of it is excluded. */
function partValue(part: ExplainedPart): string | null {
  return part.found === 0 && (hasExcluded(part) || part.counts.kind === "cost") ? null : part.sum;
}

/** A cell as its line shows it. */
function shownIn(line: RevenueTotals, counts: Counts) {
  if ("total" in counts) return line[counts.total];
  return { value: line.values[counts.interval] ?? null, isMasked: line.masked.includes(counts.interval) };
}

/** The number of the block of a sub-row. */
function blockOf(date: string, { query, timezone }: Report): number {
  const instant = Date.parse(date);
  return unitsBetween(query.granularity, beginningOf(query.from, timezone), { date, instant });
}

async function checkLine(
  schema: string,
  report: Report,
  { groupBys }: RevenueGroup,
  line: RevenueTotals & { readonly date?: string },
  drawn: number,
) {
  const { metric } = report.query;
  const block = line.date === undefined ? null : blockOf(line.date, report);
  const intervals = [...new Set([0, drawn % line.values.length, line.values.length - 1])];
  const cells: readonly Counts[] = [
    ...revenueTotals.map((total) => ({ total })),
    ...intervals.map((interval) => ({ metric, interval })),
  ];
  for (const counts of cells) {
    const shown = shownIn(line, counts);
    const parts = await explained(schema, report, { groupBys, block, counts }, drawn % 2 === 0 ? 2 : 100);
    const about = JSON.stringify({ ...report, position: Number(report.position), counts, groupBys, date: line.date });
    const value = parts.length > 1 && shown.value !== null ? rounded(Number(shown.value)) : shown.value;
    const isBegun = "total" in counts || shown.value !== null || shown.isMasked || parts.length > 1;
    assert.equal(
      {
        value: isBegun ? cellOf(parts, metric === "app_roas" ? 100 : 1, partValue) : null,
        isMasked: parts.some(hasExcluded),
      },
      { value, isMasked: shown.isMasked },
      about,
    );
    assertAddUp(parts, about);
    if (!isBegun)
      assert.equal(
        parts.map(({ found }) => found),
        parts.map(() => 0),
        about,
      );
  }
}

/** The rows of histories that had some. */
let explainedRows = 0;

for (const granularity of granularities) {
  explaining(`by ${granularity} lists contributions whose exact sum is the cell`, async () => {
    await fc.assert(
      fc.asyncProperty(someHistories(6, granularity), fc.nat(), async ({ facts: written, histories }, drawn) => {
        const schema = await facts.write(written);
        for (const { question } of histories) {
          const rows = (await facts.run(schema, question))?.rows ?? [];
          const row = rows[drawn % Math.max(1, rows.length)];
          if (row === undefined) continue;
          explainedRows += 1;
          await checkLine(schema, question, row, row.total, drawn);
          const subRow = row.rows[drawn % Math.max(1, row.rows.length)];
          if (subRow !== undefined) await checkLine(schema, question, row, subRow, drawn);
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

explaining("lists returns with the start that they came back after, starts, and rows of spend", async () => {
  const schema = await facts.write({
    appEvents: [
      happened("2026-03-01T09:00:00+09:00"),
      happened("2026-03-01T10:00:00+09:00", { from: 2 }),
      paid("2026-03-01T11:00:00+09:00", 1, 1_000, { from: 3 }),
      paid("2026-03-02T11:00:00+09:00", 1, 500, { from: 4 }),
      paid("2026-03-01T11:00:00+09:00", 2, 700, { from: 5 }),
    ],
    uploads: { spend: [{ ...spend, date: "2026-03-01", cents: 300 }] },
  });
  const explainedAs = async (metric: Report["query"]["metric"], counts: Counts) => {
    const parts = await explained(schema, revenueReport({ metric }), { groupBys: [], block: null, counts });
    return parts.map(({ sum, contributions }) => [
      sum,
      ...contributions.map(({ fact, contribution }) => {
        return fact.kind === "app_event" ? [fact.eventId, fact.startEventId, contribution] : [fact.kind, contribution];
      }),
    ]);
  };
  const first = [uuidOf(2), uuidOf(0), "10"];
  const second = [uuidOf(3), uuidOf(0), "5"];
  const start = ["1", [uuidOf(0), undefined, "1"]];
  assert.equal(await explainedAs("app_revenue", { total: "totalRevenue" }), [["15", first, second]]);
  assert.equal(await explainedAs("app_revenue", { total: "totalUniqueUsers" }), [start]);
  assert.equal(await explainedAs("app_revenue", { total: "totalCost" }), [["3", ["spend_row", "3"]]]);
  assert.equal(await explainedAs("app_revenue", { metric: "app_revenue", interval: 0 }), [["10", first]]);
  assert.equal(await explainedAs("app_arpu", { metric: "app_arpu", interval: 1 }), [["15", first, second], start]);
  assert.equal(await explainedAs("app_roas", { metric: "app_roas", interval: 0 }), [
    ["10", first],
    ["3", ["spend_row", "3"]],
  ]);
  assert.equal(await explainedAs("app_user_count", { metric: "app_user_count", interval: 1 }), [
    ["1", [uuidOf(2), uuidOf(0), "1"], [uuidOf(3), uuidOf(0), "0"]],
  ]);
});

explaining("lists one start of a device with two at one moment", async () => {
  const at = "2026-03-01T09:00:00+09:00";
  const schema = await facts.write({ appEvents: [happened(at), happened(at, { from: 2 })] });
  const cell: RevenueCell = { groupBys: [], block: null, counts: { total: "totalUniqueUsers" } };
  assert.equal(sums(await explained(schema, revenueReport(), cell)), [["1", 1]]);
});

explaining("lists spend of the dates of starts alone, and none where there is no cost", async () => {
  const appEvents = [happened("2026-03-01T09:30:00+09:00", { cents: 100 })];
  const uploads = { spend: ["2026-03-01", "2026-03-02"].map((date) => ({ ...spend, date, cents: 300 })) };
  const schema = await facts.write({ appEvents, uploads });
  const costIn = async (
    query: Partial<Report["query"]>,
    cell: Omit<RevenueCell, "groupBys">,
    groupBys: string[] = [],
  ) => sums(await explained(schema, revenueReport({ metric: "app_roas", ...query }), { groupBys, ...cell })).at(-1);
  const total = { block: null, counts: { total: "totalCost" } } as const;
  assert.equal(await costIn({}, total), ["3", 1]);
  assert.equal(await costIn({ to: "2026-03-02" }, total), ["6", 2]);
  assert.equal(await costIn({ groupBys: ["currency"] }, total, ["KRW"]), ["0", 0]);
  const roas = { metric: "app_roas", interval: 0 } as const;
  assert.equal(await costIn({ granularity: "hour" }, { block: null, counts: roas }), ["3", 1]);
  assert.equal(await costIn({ granularity: "hour" }, { block: 9, counts: roas }), ["0", 0]);
});

explaining("counts payers in other currencies", async () => {
  const schema = await facts.write({
    appEvents: [happened("2026-03-01T09:00:00+09:00"), paid("2026-03-01T11:00:00+09:00", 1, 10, { currency: "EUR" })],
    uploads: { rates: ratesOf("2026-03-01", "EUR", { KRW: "1000" }) },
  });
  const cell: RevenueCell = { groupBys: [], block: null, counts: { metric: "app_arppu", interval: 0 } };
  const parts = await explained(schema, revenueReport({ metric: "app_arppu" }), cell);
  assert.equal(sums(parts), [
    ["100", 1],
    ["1", 1],
  ]);
});

explaining.run();
