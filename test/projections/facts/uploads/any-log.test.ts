import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertSameInAnySplit, createFacts, openTestDatabase } from "../facts-tables.ts";
import { anyUploadsLog } from "./any-uploads.ts";
import { type InForce, inForceAfterEach } from "./model.ts";

const db = await openTestDatabase();
const whole = await createFacts(db);
const split = await createFacts(db);

const rows = suite("uploads and exchange rates, of any log");
rows.after(() => db.destroy());

rows("are in force at every position as in a map in memory", async () => {
  await fc.assert(
    fc.asyncProperty(anyUploadsLog, async (log) => {
      await whole.clear();
      await whole.apply(log);
      const model = inForceAfterEach(log);
      const stored = await storedRows();
      for (const [index, { position }] of log.entries()) {
        const { categories: _ofTheEnd, ...expected } = model[index] as InForce;
        assert.equal(stored.at(position.commit), expected, `at ${position.commit}`);
      }
      assert.equal(stored.categories, model.at(-1)?.categories);
    }),
    { numRuns: 40 },
  );
});

rows("are the same in any split into batches, some applied twice, and from the middle again", async () => {
  await fc.assert(
    fc.asyncProperty(anyUploadsLog, fc.infiniteStream(fc.integer({ min: 1, max: 6 })), async (log, sizes) => {
      await assertSameInAnySplit([whole, split], log, sizes);
    }),
    { numRuns: 20 },
  );
});

rows.run();

/** What is in force at a position, as the tables say. */
async function storedRows() {
  const uploaded = async (table: "spend" | "uploaded_metrics") =>
    (await whole.rows(table)).map((row) => ({ ...spanOf(row), text: `${row.request_id} ${row.row}` }));
  const [spend, metrics] = [await uploaded("spend"), await uploaded("uploaded_metrics")];
  const rates = (await whole.rows("exchange_rates")).map((row) => ({
    ...spanOf(row),
    text: `${row.date} ${row.base} ${row.currency} ${row.rate}`,
  }));
  const categories = await whole.rows("uploaded_categories");
  return {
    at: (position: bigint) => ({
      spend: textsAt(position, spend),
      uploaded_metrics: textsAt(position, metrics),
      exchange_rates: textsAt(position, rates),
    }),
    categories: categories
      .map(
        ({ app_id, event_category, archived }) => `${app_id} ${event_category}${archived === true ? " archived" : ""}`,
      )
      .sort(),
  };
}

interface Span {
  readonly from: bigint | null;
  readonly to: bigint;
}

function spanOf(row: { readonly [column: string]: unknown }): Span {
  return { from: row.from_position as bigint | null, to: row.to_position as bigint };
}

function textsAt(position: bigint, of: readonly (Span & { readonly text: string })[]): readonly string[] {
  return of
    .filter(({ from, to }) => from !== null && from <= position && position < to)
    .map(({ text }) => text)
    .sort();
}
