import fc from "fast-check";
import type { Knex } from "knex";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { Projection } from "../../projections/projection.ts";

/** All rows of a projection's tables, as JSON, each table in the order of its key. */
type Rows = Readonly<Record<string, readonly unknown[]>>;

/**
 * Asserts what every projection promises: its rows after `events` are the same however these are split into batches,
 * when every batch is applied twice, and when all is applied again from anywhere in the middle.
 */
export async function assertSameRowsForAnySplit(
  db: Knex,
  projection: Projection,
  events: readonly RecordedEvent[],
  numRuns = 25,
): Promise<void> {
  const handled = events.filter(({ type }) => projection.handles.includes(type));
  const whole = await rowsAfter(db, projection, [handled]);
  const oneByOne = handled.map((event) => [event]);
  assert.equal(await rowsAfter(db, projection, oneByOne), whole, "one by one");
  assert.equal(await rowsAfter(db, projection, [handled, handled]), whole, "all of it twice");
  const cuts = fc.array(fc.nat({ max: handled.length }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, fc.nat({ max: handled.length }), async (places, middle) => {
      const batches = split(handled, places);
      assert.equal(await rowsAfter(db, projection, batches), whole, "split");
      assert.equal(
        await rowsAfter(
          db,
          projection,
          batches.flatMap((batch) => [batch, batch]),
        ),
        whole,
        "each twice",
      );
      assert.equal(await rowsAfter(db, projection, [...batches, handled.slice(middle)]), whole, "from the middle");
    }),
    { numRuns },
  );
}

/** The rows that a projection makes of batches, in empty tables of its own. */
async function rowsAfter(
  db: Knex,
  projection: Projection,
  batches: readonly (readonly RecordedEvent[])[],
): Promise<Rows> {
  const trx = await db.transaction();
  try {
    await trx.raw("create schema any_split");
    await projection.createTables(trx, "any_split");
    for (const batch of batches) if (batch.length > 0) await projection.apply(trx, "any_split", batch);
    return await rowsOf(trx, projection, "any_split");
  } finally {
    await trx.rollback();
  }
}

/** The rows of one generation. */
export async function rowsOf(db: Knex | Knex.Transaction, projection: Projection, schema: string): Promise<Rows> {
  const rows: Record<string, readonly unknown[]> = {};
  for (const [table, key] of Object.entries(projection.tables)) {
    const answer: { rows: readonly { readonly row: unknown }[] } = await db.raw(
      `select to_jsonb(t) as row from ${schema}.${table} t order by ${key.join(", ")}`,
    );
    rows[table] = answer.rows.map(({ row }) => row);
  }
  return rows;
}

/** `events` cut at places, which need not be in order. */
export function split<Event>(events: readonly Event[], places: readonly number[]): readonly (readonly Event[])[] {
  const cuts = [0, ...[...places].sort((a, b) => a - b), events.length];
  return cuts.slice(1).map((end, index) => events.slice(cuts[index], end));
}
