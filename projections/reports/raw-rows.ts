import type { Knex } from "knex";
import { localDate } from "../../domain/local-time.ts";
import { instantsOf, offsetsBetween } from "../../domain/raw-exports/local-range.ts";
import type { WithheldRange } from "../../domain/reporting/masking.ts";
import type { ReadModel } from "../projection.ts";
import type { RawKind } from "./raw-columns.ts";
import { type RawExportAt, type RawPlace, rawKindOf, rawStatement, rawTables } from "./raw-statement.ts";
import { reportTransaction } from "./report-transaction.ts";
import { selectWithheld } from "./withheld.ts";

export interface RawPage {
  /** Cells in the order of the properties; null is empty. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Behind the last row of the page; null at the end of the export. */
  readonly after: RawPlace | null;
}

/**
 * Facts that one statement looks at, whether they become rows or not: it ends after milliseconds however few of them
 * do, and no transaction is open while a slow caller reads. To make a page of CSV takes about 10 ms.
 */
const pageSize = 2_000;
/** Longest time of the statement that finds what is withheld. */
const withheldWithinMs = 60_000;
const dayMs = 86_400_000;
/** A touchpoint may lie before an event by its lookback window and the attribution window, 30 days each (D3.5). */
const longestAttributionDays = 61;

/**
 * The rows of an export (D9.1), in pages that are read one ahead of the caller. What a position held never changes: the
 * same export has the same rows whenever it is read, and each page may come from another generation.
 * @param facts the generation of the facts that answers now
 * @param start the place to begin behind; null: at the beginning
 */
export async function* rawRows(
  facts: () => Promise<ReadModel>,
  asked: RawExportAt,
  start: RawPlace | null,
): AsyncGenerator<RawPage> {
  const reader = createPageReader(facts, asked);
  let next: Promise<RawPage> | null = reader(start);
  try {
    while (next !== null) {
      const page: RawPage = await next;
      next = page.after === null ? null : reader(page.after);
      // The caller may never ask for it; whoever does is told of its failure.
      next?.catch(() => undefined);
      yield page;
    }
  } finally {
    await next?.catch(() => undefined);
  }
}

function createPageReader(
  facts: () => Promise<ReadModel>,
  asked: RawExportAt,
): (after: RawPlace | null) => Promise<RawPage> {
  const { query, timezone } = asked;
  const { from, before } = instantsOf(timezone, query.start, query.end);
  const kind = rawKindOf(query.type);
  const earliest = from - longestAttributionDays * dayMs;
  const clock = offsetsBetween(timezone, earliest, before);
  let withheld: Promise<readonly WithheldRange[]> | null = null;
  return async (after) => {
    const model = await facts();
    withheld ??= findWithheld(model, asked, { from: earliest, to: before });
    const range = await pageRange(
      model,
      kind,
      asked.appId,
      after ?? { at: new Date(from - 1).toISOString(), id: lastId },
      before,
    );
    const { text, values } = rawStatement(model.schema, asked, await withheld, clock, range);
    const { rows } = await model.db.raw(text, values).options({ rowMode: "array" });
    return { rows, after: range.isLast ? null : range.until };
  };
}

/** D7.7, at the position and the 'now' of the export, by whole months of the app's time zone. */
async function findWithheld(
  { db, schema }: ReadModel,
  { appId, timezone, position, now }: RawExportAt,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly WithheldRange[]> {
  const range = { from: localDate(timezone, from), to: localDate(timezone, to) };
  return reportTransaction(db as Knex, { timeoutMs: withheldWithinMs }, (trx) =>
    selectWithheld(trx, schema, { appId, position, today: localDate(timezone, now.getTime()) }, range),
  );
}

/** The last of all ids: what is behind it at one instant is at a later one. */
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

interface PageRange {
  /** Exclusive. */
  readonly after: RawPlace;
  /** Inclusive. */
  readonly until: RawPlace;
  readonly isLast: boolean;
}

async function pageRange(
  { db, schema }: ReadModel,
  kind: RawKind,
  appId: number,
  after: RawPlace,
  before: number,
): Promise<PageRange> {
  const { details, id } = rawTables[kind];
  const { rows } = await db.raw<{ rows: { at: Date; id: string }[] }>(
    `select at, ${id} as id from ${schema}.${details}
     where app_id = :appId and (at, ${id}) > (:at::timestamptz, :id::uuid) and at < :before::timestamptz
     order by at, ${id} offset :pageSize limit 1`,
    { appId, at: after.at, id: after.id, before: new Date(before).toISOString(), pageSize: pageSize - 1 },
  );
  const [last] = rows;
  return last === undefined
    ? { after, until: { at: new Date(before - 1).toISOString(), id: lastId }, isLast: true }
    : { after, until: { at: last.at.toISOString(), id: last.id }, isLast: false };
}
