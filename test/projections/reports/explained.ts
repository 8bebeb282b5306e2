import type { Knex } from "knex";
import { type ExplainedPart, explainActuals } from "../../../projections/reports/explain-actuals.ts";
import type { Cell } from "../../../projections/reports/explain-cell.ts";
import { type ReferenceQuestion, standpoint } from "./reference.ts";

/** What is behind a cell, all pages of it put together. */
export async function explained(
  facts: { readonly db: Knex; readonly schema: string },
  question: ReferenceQuestion,
  cell: Cell,
  size = 100,
): Promise<readonly ExplainedPart[]> {
  const report = { ...standpoint, ...question, position: BigInt(question.position) };
  const page = (skip: number) => explainActuals(facts, report, cell, { skip, size }, { timeoutMs: 10_000 });
  let parts = await page(0);
  for (let skip = size; skip < Math.max(...parts.map(({ found }) => found)); skip += size) {
    const next = await page(skip);
    parts = parts.map((part, index) => {
      return { ...part, contributions: [...part.contributions, ...(next[index]?.contributions ?? [])] };
    });
  }
  return parts;
}

/** The exact sum of decimal texts. */
export function sumOf(texts: readonly string[]): string {
  const digits = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
  const scaled = texts.map((text) => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(digits, "0"));
  });
  const sum = scaled.reduce((total, one) => total + one, 0n);
  const text = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, "0");
  const [whole, fraction] = [text.slice(0, text.length - digits), text.slice(text.length - digits).replace(/0+$/, "")];
  return `${sum < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
