import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { readParquet } from "parquet-wasm/node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type PropertyKey, rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import { parquetOf } from "../../../read-api/raw-exports/parquet.ts";

type Row = readonly (string | null)[];

async function* pagesOf(rows: readonly Row[], size: number): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
async function bytesOf(properties: readonly PropertyKey[], pages: AsyncIterable<readonly Row[]>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of parquetOf(properties, pages)) pieces.push(piece);
  return Buffer.concat(pieces);
}
/** What another reader finds: names and types of the columns, and rows of plain values. */
function read(bytes: Uint8Array) {
  const table = tableFromIPC(readParquet(bytes).intoIPCStream());
  const fields = table.schema.fields.map(({ name, type, nullable }) => `${name} ${type}${nullable ? "" : " not null"}`);
  const rows = table.toArray().map((row: { toArray(): unknown[] }) => [...row.toArray()]);
  return { fields, rows };
}
const written = async (properties: readonly PropertyKey[], rows: readonly Row[]) =>
  read(await bytesOf(properties, pagesOf(rows, 2_000)));

const ids = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, index) => [`device ${index}`, String(index), index % 3 === 0 ? null : "1.5"]);
const idColumns = ["device_id", "event_timestamp", "event_value"] as const;

const parquet = suite("the Parquet file of an export");

parquet("has a column of its type for every property", async () => {
  const keys = Object.keys(rawExportProperties) as PropertyKey[];
  const types = { string: "Utf8", boolean: "Bool", integer: "Int64", number: "Float64", json: "Utf8" };
  const { fields, rows } = await written(keys, []);
  assert.equal(
    fields,
    keys.map((key) => {
      const type = rawExportProperties[key];
      return `${key} ${type === "instant" ? "Timestamp<MILLISECOND, UTC>" : types[type]}`;
    }),
  );
  assert.equal(rows, []);
});

// Some readers, such as DuckDB, take instants for local times where only the older notation is given.
parquet("says that its instants are in UTC, in both notations of the format", async () => {
  const { buffer, byteOffset, length } = await bytesOf(["event_datetime", "device_id"], pagesOf([], 1));
  const { schema } = parquetMetadata(new Uint8Array(buffer, byteOffset, length).slice().buffer);
  assert.equal(
    schema.slice(1).map(({ name, converted_type, logical_type }) => ({ name, converted_type, logical_type })),
    [
      {
        name: "event_datetime",
        converted_type: "TIMESTAMP_MILLIS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
      },
      { name: "device_id", converted_type: "UTF8", logical_type: undefined },
    ],
  );
});

parquet("holds values of each type, and nulls", async () => {
  const properties = [
    ...["event_datetime", "event_timestamp", "device_id", "event_value", "event_properties"],
    ...["is_reengagement", "tracking_link_id", "channel"],
  ] as PropertyKey[];
  const json = '{"a":[1,2.5,"한 \\"x\\""],"__proto__":{"b":null},"n":-0.1}';
  const { rows } = await written(properties, [
    ["2026-03-01T18:00:00.123+09:00", "1772355600123", "=1\r\n\u0085😀", "-12.50", json, "true", "7", ""],
    ["2026-03-01T00:00:00.000-03:30", "-1", "", "0", "{}", "false", "9007199254740993", "kakao"],
    properties.map(() => null),
  ]);
  assert.equal(rows, [
    [Date.parse("2026-03-01T09:00:00.123Z"), 1772355600123n, "=1\r\n\u0085😀", -12.5, json, true, 7n, ""],
    [Date.parse("2026-03-01T03:30:00.000Z"), -1n, "", 0, "{}", false, 9007199254740993n, "kakao"],
    properties.map(() => null),
  ]);
});

for (const count of [0, 1, 4_999, 5_000, 5_001, 10_000, 10_001]) {
  parquet(`holds ${count} rows in their order, in groups of 5,000`, async () => {
    const all = ids(count);
    const { rows } = await written(idColumns, all);
    assert.is(rows.length, count);
    for (const [index, row] of rows.entries()) {
      const value = index % 3 === 0 ? null : 1.5;
      if (row[0] !== `device ${index}` || row[1] !== BigInt(index) || row[2] !== value) {
        assert.equal(row, [`device ${index}`, BigInt(index), value]);
      }
    }
  });
}

parquet("is made in pieces of a group of rows each", async () => {
  let pieces = 0;
  for await (const piece of parquetOf(idColumns, pagesOf(ids(12_000), 2_000))) {
    assert.ok(piece.length > 0);
    pieces += 1;
  }
  assert.is(pieces, 4);
});

parquet("is the same bytes however its rows are split into pages", async () => {
  const rows = ids(5_003);
  const whole = await bytesOf(idColumns, pagesOf(rows, 100_000));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: rows.length }), { maxLength: 8 }), async (places) => {
      const cuts = [0, ...[...places].sort((one, other) => one - other), rows.length];
      async function* pages() {
        for (const [index, end] of cuts.slice(1).entries()) yield rows.slice(cuts[index], end);
      }
      assert.ok(whole.equals(await bytesOf(idColumns, pages())));
    }),
    { numRuns: 10 },
  );
});

parquet("holds whatever texts there are", async () => {
  const anyText = fc.option(fc.string({ unit: "grapheme", maxLength: 20 }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(anyText, anyText), { maxLength: 30 }), async (rows) => {
      const found = await written(["device_id", "user_agent"], rows);
      assert.equal(found.rows, rows);
    }),
    { numRuns: 40 },
  );
});

parquet("holds properties of 8 KiB", async () => {
  const long = JSON.stringify({ note: "€".repeat(2_700) });
  const rows = Array.from({ length: 300 }, () => [long]);
  const found = await written(["event_properties"], rows);
  assert.is(found.rows.length, 300);
  assert.ok(found.rows.every(([cell]) => cell === long));
});

parquet("reads one group ahead at most, and ends its pages when reading stops", async () => {
  let pages = 0;
  let hasEnded = false;
  async function* endless(): AsyncGenerator<readonly Row[]> {
    try {
      for (;;) {
        pages += 1;
        yield ids(5_000);
      }
    } finally {
      hasEnded = true;
    }
  }
  for await (const piece of parquetOf(idColumns, endless())) if (piece.length > 0) break;
  assert.equal([pages, hasEnded], [1, true]);
});

parquet.run();
