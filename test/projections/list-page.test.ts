import fc from "fast-check";
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../infra/postgres/database.ts";
import { countsOf, keepCounts, type Period } from "../../projections/list-counts.ts";
import { listPage } from "../../projections/list-page.ts";
import { testPostgres } from "../support/stores.ts";

const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test", synchronousCommit: "off" });
const schema = "read_model";
const lists = suite("lists");
lists.after(() => db.destroy());

interface Item {
  readonly position: bigint;
  readonly status: string;
  readonly at: Date;
}

const firstMs = Date.UTC(2026, 2, 1);
const quarter = fc.nat({ max: 3 * 96 }).map((number) => new Date(firstMs + number * 900_000));
const instant = fc
  .tuple(quarter, fc.constantFrom(-1, 0, 1, 400_000))
  .map(([begin, ms]) => new Date(begin.getTime() + ms));
const status = fc.constantFrom("open", "done", "failed");

/** A statement: it inserts items, or gives all items of a status another one. */
type Change =
  | { readonly inserted: readonly Pick<Item, "status" | "at">[] }
  | { readonly from: string; readonly to: string };
const inserts: fc.Arbitrary<Change> = fc.record({
  inserted: fc.array(fc.record({ status, at: instant }), { maxLength: 12, size: "max" }),
});
const updates: fc.Arbitrary<Change> = fc.record({ from: status, to: status });
const changes = fc.array(fc.oneof({ weight: 2, arbitrary: inserts }, { weight: 1, arbitrary: updates }), {
  maxLength: 8,
  size: "max",
});
const period: fc.Arbitrary<Period> = fc.oneof(
  fc
    .tuple(quarter, quarter)
    .map(([one, other]) => (one < other ? { from: one, before: other } : { from: other, before: one })),
  fc.constant({ from: new Date("2000-01-01"), before: new Date("2999-12-31") }),
);
const search = fc.record({
  status: fc.option(status),
  period: fc.option(period),
  size: fc.integer({ min: 1, max: 7 }),
  hasCounts: fc.boolean(),
});

lists("have the counts, pages and totals of a plain selection, whatever was inserted and updated", async () => {
  await fc.assert(
    fc.asyncProperty(changes, fc.array(search, { minLength: 5, maxLength: 5 }), fc.nat(), async (made, found, any) => {
      await rolledBack(async (trx) => {
        await createItems(trx);
        for (const change of made) await apply(trx, change);
        assert.equal(await keptCounts(trx), await plainCounts(trx));
        const { rows } = await trx.raw<{ rows: readonly Item[] }>(
          `select position, status, at from ${schema}.items where app = 1 order by position desc`,
        );
        for (const { status, period, size, hasCounts } of found) {
          const expected = rows.filter(
            (row) =>
              (status === null || row.status === status) &&
              (period === null || (row.at >= period.from && row.at < period.before)),
          );
          const total = expected.length;
          for (const skip of [0, any % (total + 1), Math.max(total - 1, 0), total, total + 1]) {
            const conditions = ["app = 1", ...(status === null ? [] : ["status = :status"])];
            const values = { status: status ?? "" };
            const dated = { instant: "at", period };
            const listed = { table: "items", hasCounts, columns: "position, status, at", conditions, dated, values };
            assert.equal(await listPage<Item>({ db: trx, schema }, listed, { skip, size }), {
              rows: expected.slice(skip, skip + size),
              totalCount: total,
            });
          }
        }
      });
    }),
    { numRuns: 25 },
  );
});

async function keptCounts(trx: Knex.Transaction): Promise<readonly unknown[]> {
  const { rows } = await trx.raw(`select * from ${schema}.${countsOf("items")} order by app, status, span, at`);
  return rows;
}

async function plainCounts(trx: Knex.Transaction): Promise<readonly unknown[]> {
  const { rows } = await trx.raw(
    `select app, status, span, date_bin(span, at, '2026-01-01T00:00:00Z') as at, count(*) as items
     from ${schema}.items cross join unnest('{1 day,15 minutes}'::interval[]) as span
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  );
  return rows;
}

async function rolledBack(run: (trx: Knex.Transaction) => Promise<void>): Promise<void> {
  const trx = await db.transaction();
  try {
    await run(trx);
  } finally {
    await trx.rollback();
  }
}

async function createItems(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    create schema ${schema};
    create table ${schema}.items (
      position bigint generated always as identity,
      app integer not null default 1,
      status text not null,
      at timestamptz not null
    )
  `);
  await keepCounts(trx, schema, "items", { columns: { app: "app", status: "status" }, instant: "at" });
  // Of another app.
  await trx.raw(`insert into ${schema}.items (app, status, at) values (2, 'open', '2026-03-01T00:00:00Z')`);
}

async function apply(trx: Knex.Transaction, change: Change): Promise<void> {
  if ("inserted" in change) {
    await trx.raw(
      `insert into ${schema}.items (status, at)
       select status, at from jsonb_to_recordset(?) as inserted (status text, at timestamptz)`,
      [JSON.stringify(change.inserted)],
    );
  } else {
    await trx.raw(`update ${schema}.items set status = :to where status = :from`, { ...change });
  }
}

lists.run();
