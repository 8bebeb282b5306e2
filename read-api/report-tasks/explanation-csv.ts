import type { Explanation } from "../../projections/reports/explain/explain-in-time.ts";
import type { Contribution, ExplainedPart, Page } from "../../projections/reports/explain/explanation.ts";
import { type CsvCell, csvLines } from "../csv.ts";
import { partNames } from "./explanation-response.ts";

/** Columns of facts of every kind, as in the JSON. */
const factColumns = [
  ...["kind", "eventId", "touchpointId", "requestId", "row", "position", "countsFrom", "occurredAt", "date"],
  ...["category", "eventCategory", "touchpointKind", "userId", "channel", "campaign", "startEventId"],
] as const;

/** Columns of the amount that a contribution was converted from. */
const amountColumns = ["value", "currency", "rateDate", "appUnits", "ownUnits"];

/**
 * All contributions to a cell as CSV, one line each (contract/reports.md#lineage), read a page at a time. Missing
 * values are empty.
 * @param firstParts the parts of `first`, the first page
 */
export async function* explanationCsv(
  firstParts: readonly ExplainedPart[],
  first: Page,
  explain: (page: Page) => Promise<Explanation>,
): AsyncGenerator<string> {
  yield csvLines([["part", ...factColumns, ...amountColumns, "contribution"]]);
  const names = partNames(firstParts);
  const count = Math.max(...firstParts.map(({ found }) => found));
  let parts = firstParts;
  for (let { skip, size } = first; skip < count; skip += size) {
    if (skip > first.skip) parts = partsOf(await explain({ skip, size }));
    for (const [index, { contributions }] of parts.entries()) {
      yield csvLines(contributions.map((contribution) => [names[index] ?? "", ...cellsOf(contribution)]));
    }
  }
}

function partsOf(explanation: Explanation): readonly ExplainedPart[] {
  if (explanation.outcome === "explained") return explanation.parts;
  throw new Error("A page of an explanation took too long");
}

function cellsOf({ fact, amount, rate, contribution }: Contribution): readonly CsvCell[] {
  const fields: { readonly [field: string]: unknown } = { ...fact };
  return [
    ...factColumns.map((field) => String(fields[field] ?? "")),
    amount?.value ?? null,
    amount?.currency ?? "",
    rate?.date ?? "",
    rate?.appUnits ?? null,
    rate?.ownUnits ?? null,
    contribution,
  ];
}
