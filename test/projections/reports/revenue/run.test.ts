import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import type { RevenueResult } from "../../../../projections/reports/revenue/run.ts";
import { noUploads } from "../uploads.ts";
import { openRevenueFacts, totalsOf, valuesOf } from "./examples.ts";
import { someHistories } from "./generated.ts";
import { type ReferenceLine, referenceRevenue } from "./reference.ts";
import { comparable } from "./reference-values.ts";

const facts = await openRevenueFacts();
const revenue = suite("a revenue report");
revenue.after(() => facts.close());

type Line = NonNullable<RevenueResult["total"]> & { readonly date?: string };

/** A line in the form of the reference: quotients with as many digits as are compared. */
function lineOf(line: Line, { query: { metric } }: ReportAt<"revenue">): ReferenceLine {
  const [users = null, earned = null, cost = null] = totalsOf(line);
  const isRatio = metric === "app_roas" || metric === "app_arpu" || metric === "app_arppu";
  const values = valuesOf(line).map((value) => {
    const [, number = "", mark = ""] = /^(.*?)(\+?)$/.exec(value ?? "") ?? [];
    return value === null || number === "null" || !isRatio ? value : `${comparable(number)}${mark}`;
  });
  return { ...(line.date === undefined ? {} : { date: line.date }), users, revenue: earned, cost, values };
}

function groupOf({ groupBys, rows, total }: RevenueResult["rows"][number], question: ReportAt<"revenue">) {
  return { groupBys, rows: rows.map((row) => lineOf(row, question)), total: lineOf(total, question) };
}

for (const granularity of granularities) {
  revenue(`by ${granularity} is what a plain reading of each event gives`, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(someHistories(25, granularity), async ({ facts: written, histories }) => {
        const schema = await facts.write(written);
        for (const { appEvents, spend, question } of histories) {
          const own = { ...written, appEvents, uploads: { ...noUploads, ...written.uploads, spend } };
          const about = JSON.stringify({ ...question, position: Number(question.position) });
          const result = await facts.run(schema, question);
          assert.equal(
            result?.rows.map((group) => groupOf(group, question)),
            referenceRevenue(own, question),
            about,
          );
          const [everything] = referenceRevenue(own, { ...question, query: { ...question.query, groupBys: [] } });
          if (question.query.includesTotal && everything !== undefined) {
            assert.equal(result?.total && lineOf(result.total, question), everything.total, about);
          }
          compared += 1;
        }
        facts.release(schema);
      }),
      { numRuns: 4, endOnFailure: true },
    );
    assert.is(compared, 100);
  });
}

revenue.run();
