// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestedMetric } from "../../../../domain/reporting/catalogue/catalogue.ts";
import type { ActualsRow } from "../../../../projections/reports/actuals/run.ts";
import type { ExplainedPart } from "../../../../projections/reports/explain/explanation.ts";
import { openExplanations, sumOf } from "../explain/explained.ts";
import { aQuestion, someMetrics } from "./generated.ts";
import { someFacts } from "./generated-facts.ts";
import { rounded } from "./reference-measures.ts";

const explanations = await openExplanations();
const { explained, run } = explanations;

const hasLost = ({ lost, masked }: ExplainedPart): boolean => lost.count > 0 || masked.length > 0;
const summed = ({ contributions }: ExplainedPart): string =>
  sumOf(contributions.map(({ contribution }) => contribution));

/** What the report takes a part to be: nothing is left of it when all of it was lost. */
function valueOfPart(part: ExplainedPart): string | null {
  return hasLost(part) && part.contributions.length === 0 ? null : summed(part);
}

/** What the cell says, going by its explanation. Quotients are rounded. */
function cellOf(metric: string, parts: readonly ExplainedPart[]): string | number | null {
  const asked = requestedMetric(metric);
  const [upper = null, lower = null] = parts.map(valueOfPart);
  if (asked.kind !== "ratio") return upper;
  return upper === null || !Number(lower) ? null : rounded((Number(upper) * asked.times) / Number(lower));
}

/** What a row says under one of `someMetrics`, quotients rounded. */
function shownIn({ values }: ActualsRow, index: number): string | number | null {
  const value = values[index] ?? null;
  return value !== null && requestedMetric(someMetrics[index] ?? "").kind === "ratio" ? rounded(Number(value)) : value;
}

const explaining = suite("explaining a cell of an actuals report");

explaining.after(() => explanations.close());

explaining("tells contributions whose exact sum is the cell, on any pages of any cell", async () => {
  const aPage = fc.constantFrom(7, 40, 100);
  const someQuestions = fc.array(fc.tuple(aQuestion, fc.nat(), aPage), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(someFacts, someQuestions, async (facts, questions) => {
      const schema = await explanations.write(facts);
      for (const [asked, rowNumber, size] of questions) {
        const question = { ...asked, query: { ...asked.query, metrics: someMetrics } };
        const { rows } = await run(schema, question);
        const row = rows[rowNumber % rows.length];
        if (row === undefined) continue;
        for (const [index, metric] of someMetrics.entries()) {
          const parts = await explained(schema, question, { groupBys: row.groupBys, metric }, size);
          const explanation = { value: cellOf(metric, parts), masked: parts.some(hasLost) };
          assert.equal(explanation, { value: shownIn(row, index), masked: row.masked[index] }, metric);
          for (const { contributions, ...part } of parts) {
            const facts = new Set(contributions.map(({ fact }) => JSON.stringify(fact)));
            assert.equal(part.sum, summed({ ...part, contributions }), metric);
            assert.equal([facts.size, contributions.length], [part.found, part.found], metric);
          }
        }
      }
      explanations.release(schema);
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

explaining.run();
