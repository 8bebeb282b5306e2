// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestedMetric } from "../../../../domain/reporting/catalogue/catalogue.ts";
import type { ActualsRow } from "../../../../projections/reports/actuals/run.ts";
import type { ExplainedPart } from "../../../../projections/reports/explain/explanation.ts";
import { assertAddUp, cellOf, hasExcluded, openExplanations } from "../explain/explained.ts";
import { aQuestion, someMetrics } from "./generated.ts";
import { someFacts } from "./generated-facts.ts";
import { rounded } from "./reference-measures.ts";

const explanations = await openExplanations();
const { explained, run } = explanations;

/** The value of a part in the report: null if everything is excluded; what was divided also where there is no cost. */
const partValue = (part: ExplainedPart, index = 0, { length }: readonly ExplainedPart[] = [part]): string | null => {
  const isMissing = length > 1 && index === 0 && part.counts.kind === "cost";
  return (hasExcluded(part) || isMissing) && part.found === 0 ? null : part.sum;
};

/** What a row shows under one of `someMetrics`, quotients rounded. */
function shownIn({ values }: ActualsRow, index: number): string | number | null {
  const value = values[index] ?? null;
  return value !== null && requestedMetric(someMetrics[index] ?? "").kind === "ratio" ? rounded(Number(value)) : value;
}

const explaining = suite("explaining a cell of an actuals report");

explaining.after(() => explanations.close());

explaining("lists contributions whose exact sum is the cell, on any pages of any cell", async () => {
  let explainedRows = 0;
  const aPage = fc.constantFrom(7, 40, 100);
  const someQuestions = fc.array(fc.tuple(aQuestion, fc.nat(), aPage), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(someFacts, someQuestions, async (facts, questions) => {
      const schema = await explanations.write(facts);
      for (const [generated, rowNumber, size] of questions) {
        const question = { ...generated, query: { ...generated.query, metrics: someMetrics } };
        const { rows } = await run(schema, question);
        const row = rows[rowNumber % rows.length];
        if (row === undefined) continue;
        explainedRows += 1;
        for (const [index, metric] of someMetrics.entries()) {
          const parts = await explained(schema, question, { groupBys: row.groupBys, metric }, size);
          const requested = requestedMetric(metric);
          const shownBy = (of: typeof parts) => cellOf(of, requested.kind === "ratio" ? requested.times : 1, partValue);
          const explanation = { value: shownBy(parts), masked: parts.some(hasExcluded) };
          assert.equal(explanation, { value: shownIn(row, index), masked: row.masked[index] }, metric);
          assertAddUp(parts, metric);
        }
      }
      explanations.release(schema);
    }),
    { numRuns: 2, endOnFailure: true },
  );
  assert.ok(explainedRows > 0);
});

explaining.run();
