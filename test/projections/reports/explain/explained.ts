import * as assert from "uvu/assert";
import { explainActuals } from "../../../../projections/reports/actuals/explain.ts";
import type { ExplainedPart, Page } from "../../../../projections/reports/explain/explanation.ts";
import type { Cell } from "../../../../projections/reports/explain/facts-of-cell.ts";
import { ask, openFacts } from "../actuals/advertising.ts";
import { type ReferenceQuestion, reportTime } from "../actuals/reference.ts";
import { rounded } from "../actuals/reference-measures.ts";
import { uuidOf } from "../facts.ts";
import type { SomeFacts } from "../report-facts.ts";

/** The parts of a cell, all pages of it put together. */
export async function allPages(
  size: number,
  explain: (page: Page) => Promise<readonly ExplainedPart[]>,
): Promise<readonly ExplainedPart[]> {
  let parts = await explain({ skip: 0, size });
  for (let skip = size; skip < Math.max(...parts.map(({ found }) => found)); skip += size) {
    const next = await explain({ skip, size });
    parts = parts.map((part, index) => {
      return { ...part, contributions: [...part.contributions, ...(next[index]?.contributions ?? [])] };
    });
  }
  return parts;
}

/** When facts of the first of March happened. */
export const at = "2026-03-01T00:00:00.000Z";

/** What is shown of an app event of the first of March, by its place among those written. */
export function eventFact(index: number, category: string, position: number, device = 1) {
  const ids = { kind: "app_event", eventId: uuidOf(index), position: String(position) } as const;
  const details = { occurredAt: at, category, userId: uuidOf(device), touchpointId: null };
  return { ...ids, countsFrom: String(position), ...details, channel: "partner", campaign: "spring" };
}

/** The sum of each part, and how many contributions it has. */
export function sums(parts: readonly ExplainedPart[]): readonly (readonly [string, number])[] {
  return parts.map(({ sum, found }) => [sum, found]);
}

export async function openExplanations() {
  const facts = await openFacts();
  const explained = (schema: string, question: ReferenceQuestion, cell: Cell, size = 100) => {
    const report = { ...reportTime, ...question, position: BigInt(question.position) };
    return allPages(size, (page) =>
      explainActuals({ db: facts.db, schema }, report, cell, page, { timeoutMs: 30_000 }),
    );
  };
  /** What is behind a metric of a row, by default the only one of a report without group-bys. */
  const behind = async (
    metric: string,
    advertised: SomeFacts,
    query: Partial<ReferenceQuestion["query"]> = {},
    groupBys: readonly (string | null)[] = [],
  ): Promise<readonly ExplainedPart[]> => {
    const schema = await facts.write(advertised);
    const parts = await explained(schema, ask({ ...query, metrics: [metric] }), { groupBys, metric });
    facts.release(schema);
    return parts;
  };
  return { ...facts, explained, behind };
}

/** Whether facts are excluded from the sum of a part. */
export const hasExcluded = ({ unconverted, maskingReasons }: ExplainedPart): boolean =>
  unconverted.count > 0 || maskingReasons.length > 0;

/** Asserts that the contributions of each part are distinct, complete, and add up to its sum exactly. */
export function assertAddUp(parts: readonly ExplainedPart[], about: string): void {
  for (const { sum, found, contributions } of parts) {
    const facts = new Set(contributions.map(({ fact }) => JSON.stringify(fact)));
    const added = sumOf(contributions.map(({ contribution }) => contribution));
    assert.equal([sum, facts.size, contributions.length], [added, found, found], about);
  }
}

/**
 * The value of a cell by its explanation: the only part, or the first divided by the second, rounded.
 * @param partValue of a part; null: there is none
 */
export function cellOf(
  parts: readonly ExplainedPart[],
  times = 1,
  partValue: (part: ExplainedPart, index: number, parts: readonly ExplainedPart[]) => string | null = ({ sum }) => sum,
): string | number | null {
  const [upper = null, lower] = parts.map(partValue);
  if (lower === undefined) return upper;
  return upper === null || !Number(lower) ? null : rounded((Number(upper) * times) / Number(lower));
}

/** The exact sum of decimal texts. */
function sumOf(texts: readonly string[]): string {
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
