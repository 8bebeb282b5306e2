import type { Knex } from "knex";
import { instantRanges, offsetsBetween, wallClock } from "../../domain/raw-exports/local-range.ts";
import type { MaskedRange } from "../../domain/reporting/masking.ts";
import { dayMs } from "../../domain/values/instants.ts";
import { localDate } from "../../domain/values/local-time.ts";
import type { ReadModel } from "../projection.ts";
import { pageEnd, type RawKind } from "../reports/masking/export-view.ts";
import { longestAttributionDays, selectMaskedRanges } from "../reports/masking/masked-facts.ts";
import { reportTransaction } from "../reports/query/report-transaction.ts";
import { type RawExportAt, type RawPlace, rawKindOf, rawStatement } from "./statement.ts";

export interface RawPage {
  /** Cells in the order of the properties; null is empty. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** After the last row of the page; null at the end of the export. */
  readonly after: RawPlace | null;
}

/**
 * Facts that one statement reads, masked ones included, so that it takes milliseconds even if few become rows. No
 * transaction is open while a slow client reads. A page of CSV takes about 10 ms to write.
 */
const pageSize = 2_000;
/**
 * Pages that Postgres reads while one is written: with a single one, either side waits half of the time.
 */
const pagesAhead = 2;
/** Time limit of the statement that selects masked ranges, and so of the connections that read exports. */
export const maskingTimeoutMs = 60_000;

/**
 * The rows of an export (contract/exports.md#requesting), in prefetched pages. Facts as of a position never change: an
 * export always has the same rows, and each page may come from another generation.
 * @param facts the live generation of the facts
 * @param start the place after which to begin; null: at the beginning
 * @param signal when it aborts, the next page is refused with its reason
 */
export async function* rawRows(
  facts: () => Promise<ReadModel>,
  requested: RawExportAt,
  start: RawPlace | null,
  signal?: AbortSignal,
): AsyncGenerator<RawPage> {
  const { rangeAfter, rowsIn } = createPageReader(facts, requested);
  const reading = new Set<Promise<unknown>>();
  const ahead = <Read>(read: Promise<Read>): Promise<Read> => {
    reading.add(read);
    // A failure is thrown where it is awaited; until then it must not be an unhandled rejection.
    read.catch(() => undefined).finally(() => reading.delete(read));
    return read;
  };
  const pages: { readonly range: PageRange; readonly rows: Promise<RawPage["rows"]> }[] = [];
  let next: Promise<PageRange> | null = rangeAfter(start);
  const readAhead = async (): Promise<void> => {
    while (pages.length < pagesAhead && next !== null) {
      const range: PageRange = await next;
      next = range.isLast ? null : ahead(rangeAfter(range.until));
      pages.push({ range, rows: ahead(rowsIn(range)) });
    }
  };
  try {
    await readAhead();
    for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
      const { range } = page;
      const rows = await page.rows;
      signal?.throwIfAborted();
      await readAhead();
      yield { rows, after: range.isLast ? null : range.until };
    }
  } finally {
    // No statement continues after the client has disconnected.
    await Promise.allSettled(reading);
  }
}

/** Finds and reads pages. */
interface PageReader {
  /** The range of the page after a place; null: of the first one. */
  rangeAfter(place: RawPlace | null): Promise<PageRange>;
  rowsIn(range: PageRange): Promise<RawPage["rows"]>;
}

function createPageReader(facts: () => Promise<ReadModel>, requested: RawExportAt): PageReader {
  const { query, timezone } = requested;
  const instants = instantRanges(timezone, query.start, query.end);
  // A range of skipped times is empty.
  const from = instants[0]?.from ?? wallClock(query.start);
  const before = instants.at(-1)?.before ?? from;
  const kind = rawKindOf(query.type);
  const earliest = from - longestAttributionDays * dayMs;
  const clock = offsetsBetween(timezone, earliest, before);
  const beginning = { at: new Date(from - 1).toISOString(), id: lastId };
  let masked: Promise<readonly MaskedRange[]> | null = null;
  return {
    rangeAfter: async (place) => pageRange(await facts(), kind, requested.appId, place ?? beginning, before),
    rowsIn: async (range) => {
      const model = await facts();
      masked ??= selectMasked(model, requested, { from: earliest, to: before });
      const { text, values } = rawStatement(model.schema, requested, await masked, { clock, instants }, range);
      const { rows } = await model.db.raw(text, values).options({ rowMode: "array" });
      return rows;
    },
  };
}

/**
 * The masked ranges (contract/reports.md#masking) at the position and the 'now' of the export, by whole months of the
 * app's time zone.
 */
async function selectMasked(
  { db, schema }: ReadModel,
  { appId, timezone, position, now }: RawExportAt,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly MaskedRange[]> {
  const range = { from: localDate(timezone, from), to: localDate(timezone, to) };
  return reportTransaction(db as Knex, { timeoutMs: maskingTimeoutMs }, (trx) =>
    selectMaskedRanges(trx, schema, { appId, position, timezone, now }, range),
  );
}

/** The greatest id: whatever follows it has a later instant. */
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
  const { text, values } = pageEnd(kind, schema, { appId, after, before: new Date(before), size: pageSize });
  const { rows } = await db.raw<{ rows: { at: Date; id: string }[] }>(text, values);
  const [last] = rows;
  return last === undefined
    ? { after, until: { at: new Date(before - 1).toISOString(), id: lastId }, isLast: true }
    : { after, until: { at: last.at.toISOString(), id: last.id }, isLast: false };
}
