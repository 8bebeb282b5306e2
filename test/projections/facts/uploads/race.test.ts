import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { UploadedFact } from "../../../../projections/facts/uploads/uploads.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { metricUpload, spendUpload } from "../../../examples/uploaded-rows.ts";
import { uploadId } from "../../../examples/uploads.ts";
import { split } from "../../split-property.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const keys = 3_000;
const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number);
/** Seven chunks, whatever the number of rows. */
const chunkOf = (count: number) => ({ rowsOfChunk: Math.ceil(count / 7) });
const [one, two] = [uploadId(1), uploadId(2)];

const spend = (number: number, cost: string, count = keys) =>
  spendUpload(
    number,
    numbersTo(count).map((key) => ({ campaignParams: { campaign: `${key}` }, cost })),
    chunkOf(count),
  );
const visits = (number: number) =>
  metricUpload(
    number,
    numbersTo(keys).map((key) => ({ channel: `channel ${key}` })),
    chunkOf(keys),
  );

type Upload = { readonly staged: readonly UploadedFact[]; readonly ingested: UploadedFact };

/** Both uploads' chunks in turns, then the ingesting of one and of the other, in batches of so many events. */
async function race(first: Upload, second: Upload, batch: number): Promise<void> {
  const chunks = first.staged.flatMap((chunk, index) => [chunk, ...second.staged.slice(index, index + 1)]);
  const log = recordedLog([...chunks, first.ingested, second.ingested]);
  const cuts = log.map((_, index) => index).filter((index) => index % batch === 0);
  for (const part of split(log, cuts)) if (part.length > 0) await tables.apply(part);
}

/** How many rows there are by upload, whether they are in force, and who replaced them. */
async function rowsBy(table: "spend" | "uploaded_metrics"): Promise<readonly unknown[]> {
  const counts = new Map<string, number>();
  for (const row of await tables.rows(table, "request_id", "from_position", "to_position", "replaced_by")) {
    const line = `${row.request_id} ${row.from_position} ${row.to_position} ${row.replaced_by}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].sort();
}

const racing = suite("two uploads at once, of the same keys");
racing.before.each(() => tables.clear());
racing.after(() => db.destroy());

for (const [table, upload, batch] of [
  ["spend", (number: number) => spend(number, `${number}`), 1_000],
  ["spend", (number: number) => spend(number, `${number}`), 1],
  ["uploaded_metrics", visits, 1_000],
] as const) {
  racing(`the later ingested wins for all of them: ${table} in batches of ${batch}`, async () => {
    await race(upload(2), upload(1), batch);
    assert.equal(await rowsBy(table), [
      [`${one} 1600 9223372036854775807 null`, keys],
      [`${two} 1500 1600 ${one}`, keys],
    ]);
  });
}

racing(
  "the later ingested wins as soon when Postgres takes the tables of rows just written for empty ones",
  async () => {
    const many = 10_000;
    const [first, second] = [spend(1, "1", many), spend(2, "2", many)];
    const log = recordedLog([...first.staged, ...second.staged, first.ingested, second.ingested]);
    await tables.apply(log.slice(0, -2));
    // As autovacuum leaves it that comes while the first rows of a table are written.
    await db.raw(
      `select pg_restore_relation_stats(
         'schemaname', ?::text, 'relname', 'spend', 'relpages', 1::integer, 'reltuples', 0::real)`,
      [tables.schema],
    );
    await tables.apply(log.slice(-2));
    assert.equal(await rowsBy("spend"), [
      [`${one} 1500 1600 ${two}`, many],
      [`${two} 1600 9223372036854775807 null`, many],
    ]);
  },
);

racing.run();
