import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type PropertyKey, rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import { csvHeader, csvOf } from "../../../read-api/raw-exports/csv-file.ts";

type Cells = readonly (readonly (string | null)[])[];

const formulaPrefixes = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];
const keys = Object.keys(rawExportProperties) as PropertyKey[];
const numberKeys = keys.filter((key) => ["number", "integer"].includes(rawExportProperties[key]));
const textKeys = keys.filter((key) => !numberKeys.includes(key));

const read = (csv: string, options: object = {}): readonly (readonly string[])[] =>
  parse(csv, { record_delimiter: "\r\n", ...options });
/** What a reader finds in a cell that held a text. */
const neutralised = (cell: string | null): string =>
  cell !== null && formulaPrefixes.some((prefix) => cell.startsWith(prefix)) && !isPlainNumber(cell)
    ? `'${cell}`
    : (cell ?? "");
/** Texts of the characters below that are numbers are whole ones. */
const isPlainNumber = (cell: string): boolean => /^[+-]\d+$/.test(cell);

const special = fc.constantFrom(
  ...formulaPrefixes,
  '"',
  ",",
  ";",
  "'",
  "\r\n",
  " ",
  "\u2028",
  "\uFEFF",
  "\u0085",
  "a",
  "1",
);
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.array(special, { maxLength: 6 }).map((parts) => parts.join("")),
);
const anyNumber = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.stringMatching(/^(\.\d{1,6})?$/))
  .map(([whole, fraction]) => `${whole}${fraction}`);
const cellOf = (key: PropertyKey) => fc.option(numberKeys.includes(key) ? anyNumber : anyText, { freq: 6 });
const anyRows = fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1, maxLength: 6 }).chain((properties) =>
  fc.record({
    properties: fc.constant(properties),
    rows: fc.array(fc.tuple(...properties.map(cellOf)), { maxLength: 8 }) as fc.Arbitrary<Cells>,
  }),
);

const csv = suite("the CSV of an export");

csv("is read back as it was, but for texts that a spreadsheet would run", () => {
  fc.assert(
    fc.property(anyRows, ({ properties, rows }) => {
      const expected = rows.map((row) =>
        row.map((cell, index) =>
          numberKeys.includes(properties[index] ?? "event_id") ? (cell ?? "") : neutralised(cell),
        ),
      );
      const written = csvOf(properties, rows);
      assert.equal(read(written), expected);
      assert.equal(read(csvHeader(properties) + written), [properties, ...expected]);
    }),
    { numRuns: 300 },
  );
});

csv("is the same in one piece or in many", () => {
  fc.assert(
    fc.property(anyRows, fc.nat({ max: 8 }), ({ properties, rows }, at) => {
      const pieces = csvOf(properties, rows.slice(0, at)) + csvOf(properties, rows.slice(at));
      assert.is(pieces, csvOf(properties, rows));
    }),
  );
});

csv("quotes cells where required, and ends every line with CR LF", () => {
  const properties = ["device_id", "event_value", "event_label"] as const;
  const rows = [
    ["plain", "12.50", 'say "hi"'],
    ["a,b", null, "lone\rreturn"],
    ["new\nline", "0", "both\r\nof them"],
    [null, null, null],
  ];
  assert.is(
    csvHeader(properties) + csvOf(properties, rows),
    'device_id,event_value,event_label\r\nplain,12.50,"say ""hi"""\r\n"a,b",,"lone\rreturn"\r\n' +
      '"new\nline",0,"both\r\nof them"\r\n,,\r\n',
  );
});

csv("is empty for no rows", () => {
  assert.is(csvOf(["device_id"], []), "");
});

for (const prefix of formulaPrefixes) {
  csv(`neutralises texts that begin with ${JSON.stringify(prefix)}, in every property that is a text`, () => {
    const row = textKeys.map(() => `${prefix}1+1`);
    assert.equal(read(csvOf(textKeys, [row])), [row.map((cell) => `'${cell}`)]);
    const inside = textKeys.map(() => `1${prefix}1`);
    assert.equal(read(csvOf(textKeys, [inside])), [inside]);
  });
}

csv("leaves numbers as they are, negative ones too", () => {
  for (const number of ["-1", "-0.5", "-123456789012345678901234567890.123456", "0", "12.50", "1774915200000"]) {
    const row = numberKeys.map(() => number);
    assert.is(csvOf(numberKeys, [row]), `${row.join(",")}\r\n`);
  }
});

csv("leaves texts that are plain decimal numbers as they are, and no other text with a sign", () => {
  const row = textKeys.map(() => "");
  const written = (text: string) => read(csvOf(textKeys, [row.map(() => text)]))[0]?.[0];
  for (const text of ["-5", "+5", "-0.5", "+821012345678", "-1e3", "+1.5E-12"]) assert.is(written(text), text);
  for (const text of ["-5+1", "+5 ", "-", "+.5", "-5.", "-1e", "-5\n=1", "+5%", "-0x1", "--5", "－5", "-٣"]) {
    assert.is(written(text), `'${text}`);
  }
});

csv("of one column has a line for every row, also for readers that skip empty ones", () => {
  for (const key of ["device_id", "event_value"] as const) {
    const written = csvOf([key], [[null], ["7"], [""], [null]]);
    assert.equal(read(written, { skip_empty_lines: true }), [[""], ["7"], [""], [""]]);
  }
});

csv("holds properties of 8 KiB", () => {
  const long = JSON.stringify({ note: '",\r\n=€'.repeat(800), n: 1 });
  assert.ok(Buffer.byteLength(long) > 8 * 1024);
  assert.equal(read(csvOf(["event_properties", "event_id"], [[long, "1"]])), [[long, "1"]]);
});

csv("has a header of property keys that no reader takes for anything else", () => {
  assert.equal(read(csvHeader(keys)), [keys]);
  assert.match(csvHeader(keys), /^[a-z0-9_,]+\r\n$/);
});

csv.run();
