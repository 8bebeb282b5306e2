import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readUploadFile } from "../../../commands/uploads/read-upload-file.ts";
import { fault } from "../../../domain/fault.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { kindNames } from "../../../domain/uploads/upload-kinds.ts";
import { csv, faultsOf, inRows, ofFile, oneRow, validated, validCells } from "./csv-files.ts";

const names = (kind: UploadKind): readonly string[] => Object.keys(validCells[kind]);
const values = (kind: UploadKind): readonly string[] => Object.values(validCells[kind]);

/** A file of equal valid rows. */
function rowsOf(kind: UploadKind, count: number): string {
  return csv([names(kind)]) + csv([values(kind)]).repeat(count);
}

/** A valid file of exactly so many bytes: the campaign of the last row is longer than the others. */
function fileOf(kind: UploadKind, bytes: number): string {
  const row = (campaign: number): string =>
    csv([Object.values({ ...validCells[kind], campaign: "c".repeat(campaign) })]);
  const head = csv([Object.keys({ ...validCells[kind], campaign: "" })]);
  const length = row(100).length;
  const others = Math.floor((bytes - head.length) / length) - 1;
  return head + row(100).repeat(others) + row(100 + bytes - head.length - (others + 1) * length);
}

/** The faults of a metric file of one row with more columns, each with its own name as value. */
const faultsOfColumns = (columns: readonly string[]) =>
  faultsOf(
    "metric",
    csv([
      [...names("metric"), ...columns],
      [...values("metric"), ...columns],
    ]),
  );

const header = suite("a header");

for (const kind of kindNames) {
  header(`of ${kind} has every required column`, async () => {
    for (const missing of names(kind)) {
      const present = names(kind).filter((name) => name !== missing);
      const file = csv([present, present.map((name) => validCells[kind][name] ?? "")]);
      assert.equal(await faultsOf(kind, file), [fault("column.missing", [missing])]);
    }
  });

  header(`of ${kind} has no column twice`, async () => {
    const [first = "", last = ""] = [names(kind)[0], names(kind).at(-1)];
    const header = [...names(kind), first, last, last];
    const file = csv([header, header.map((name) => validCells[kind][name] ?? "")]);
    assert.equal(await faultsOf(kind, file), [
      fault("column.repeated", [first], { count: 2 }),
      fault("column.repeated", [last], { count: 3 }),
    ]);
  });
}

header("has no column beyond those of its kind", async () => {
  for (const [kind, columns] of [
    ["ad_spend", ["shoe_size", "content", "event_source"]],
    ["legacy_cost", ["shoe_size"]],
    ["metric", ["shoe_size", "ad_account_id", "clicks"]],
  ] as const) {
    for (const name of columns) {
      assert.equal(await faultsOf(kind, oneRow(kind, { [name]: "1" })), [fault("column.unknown", [name])]);
    }
  }
});

header("with an unknown column names the similar one that is not there", async () => {
  const misspelled = oneRow("ad_spend").replace("campaign", "Campain");
  assert.equal(await faultsOf("ad_spend", misspelled), [
    fault("column.unknown.nearest", ["Campain"], { nearest: "campaign" }),
    fault("column.missing", ["campaign"]),
  ]);
  for (const [kind, name, nearest] of [
    ["ad_spend", "ad_account", "ad_account_id"],
    ["metric", "campaign_id", "campaign"],
  ] as const) {
    const file = oneRow(kind, { [name]: "1" });
    assert.equal(await faultsOf(kind, file), [fault("column.unknown.nearest", [name], { nearest })]);
  }
  const twice = oneRow("ad_spend", { campain: "spring" });
  assert.equal(await faultsOf("ad_spend", twice), [fault("column.unknown", ["campain"])]);
});

header("is written in lower case and without white space around its names", async () => {
  assert.equal(await faultsOfColumns(["Campaign", " term", "Content "]), [
    fault("column.not_lower_case", ["Campaign"], { name: "campaign" }),
    fault("column.white_space", [" term"], { name: "term" }),
    fault("column.white_space", ["Content "], { name: "content" }),
  ]);
});

header("can have a column called __proto__, file or an empty name, unknown like others", async () => {
  assert.equal(await faultsOfColumns(["__proto__", "file", ""]), [
    fault("column.unknown", ["__proto__"]),
    fault("column.unknown", ["file"]),
    fault("column.unnamed", [""]),
  ]);
});

header("with more than 100 unknown columns names 100 of them", async () => {
  const columns = Array.from({ length: 103 }, (_, index) => `c${index}`);
  const named = columns.slice(0, 100).map((name) => fault("column.unknown", [name]));
  assert.equal(await faultsOfColumns(columns), [...named, ofFile("column.more_unknown", { count: 3 })]);
  assert.equal(await faultsOfColumns(columns.slice(0, 100)), named);
});

header("is reported by names that can be stored, of at most 256 characters", async () => {
  for (const [name, reported] of [
    ["shoe\0size", "shoe\uFFFDsize"],
    ["x".repeat(256), "x".repeat(256)],
    ["x".repeat(257), `${"x".repeat(256)}…`],
    ["👟".repeat(256), "👟".repeat(256)],
  ] as const) {
    assert.equal(await faultsOf("metric", oneRow("metric", { [name]: "x" })), [fault("column.unknown", [reported])]);
  }
});

header("of several names has no other separator, whatever their characters", async () => {
  const file = csv([
    ["a;date", ...names("metric")],
    ["1", ...values("metric")],
  ]);
  assert.equal(await faultsOf("metric", file), [fault("column.unknown", ["a;date"])]);
});

header("that is separated by semicolons or tabs is the only fault of its file", async () => {
  const separated = (separator: string) => ofFile("file.wrong_separator", { separator });
  for (const kind of kindNames) {
    const file = oneRow(kind).replace("0.5", '"0,5"');
    assert.equal(await faultsOf(kind, file.replaceAll(",", ";")), [separated("semicolon")]);
    assert.equal(await faultsOf(kind, file.replaceAll(",", "\t")), [separated("tab")]);
    assert.equal(await faultsOf(kind, `sep=;\r\n${file.replaceAll(",", ";")}`), [separated("semicolon")]);
    assert.equal(await faultsOf(kind, "\ufeffShoe Size; Date\n1;2\n"), [separated("semicolon")]);
  }
  assert.equal(await faultsOf("metric", oneRow("metric", { "a;date": "1" })), [fault("column.unknown", ["a;date"])]);
});

const faults = suite("the faults of a file");

faults("are reported all at once, equal ones of a column together", async () => {
  const file = csv([
    ["date", "channel", "currency", "campaign", "impressions", "clicks", "shoe_size"],
    ["2026-02-30", "partner", "USD", "spring", "1,000", "1", "42"],
    ["2026-03-31", "organic", "USD", "", "x", "1", "42"],
    ["2026-02-31", "partner", "XYZ", "spring", "1", "-1", "42"],
    ["2030-01-01", "partner", "USD", "spring", "1", "1"],
  ]);
  assert.equal(await faultsOf("ad_spend", file), [
    fault("column.unknown", ["shoe_size"]),
    fault("column.missing", ["cost"]),
    inRows({ code: "cell.not_a_date" }, "date", [2, 4]),
    inRows({ code: "cell.commas" }, "impressions", [2]),
    inRows({ code: "cell.reserved_channel" }, "channel", [3]),
    inRows({ code: "cell.blank" }, "campaign", [3]),
    inRows({ code: "cell.not_a_whole_number" }, "impressions", [3]),
    inRows({ code: "cell.currency" }, "currency", [4]),
    inRows({ code: "cell.not_a_whole_number" }, "clicks", [4]),
    inRows({ code: "file.wrong_row_length", params: { columns: 7 } }, null, [5]),
  ]);
});

faults("name 20 rows of one fault and count all", async () => {
  const file = (count: number): string => rowsOf("metric", count).replaceAll("2.5", '"2,5"');
  const first = Array.from({ length: 20 }, (_, index) => index + 2);
  for (const count of [20, 21, 2_021]) {
    const expected = inRows({ code: "cell.commas_in_decimal" }, "event_value", first, count);
    assert.equal(await faultsOf("metric", file(count)), [expected]);
  }
});

faults("of a column that differ in their advice are reported apart", async () => {
  const row = { ...validCells.metric, os_name: "" };
  const systems = ["android", "ios", "ANDROID"];
  const file = csv([Object.keys(row), ...systems.map((os_name) => Object.values({ ...row, os_name }))]);
  assert.equal(await faultsOf("metric", file), [
    inRows({ code: "cell.os_name", params: { name: "Android" } }, "os_name", [2, 4]),
    inRows({ code: "cell.os_name", params: { name: "iOS" } }, "os_name", [3]),
  ]);
});

const limits = suite("limits of a file");

limits("are 1,048,576 bytes as sent", async () => {
  for (const bytes of [1_048_575, 1_048_576]) assert.equal(await faultsOf("metric", fileOf("metric", bytes)), []);
  const tooLarge = ofFile("file.too_large", { size: 1_048_577, limit: 1_048_576 });
  assert.equal(await faultsOf("metric", fileOf("metric", 1_048_577)), [tooLarge]);
});

const maxRows: Readonly<Record<UploadKind, number>> = { ad_spend: 10_000, legacy_cost: 10_000, metric: 200_000 };
for (const kind of kindNames) {
  const limit = maxRows[kind];
  limits(`are ${limit} rows of ${kind}`, async () => {
    for (const count of [limit - 1, limit]) {
      const validation = await validated(kind, gzipSync(rowsOf(kind, count)));
      assert.is(validation.outcome === "valid" && validation.rows.length, count);
    }
    const tooMany = ofFile("file.too_many_rows", { limit });
    assert.equal(await faultsOf(kind, gzipSync(rowsOf(kind, limit + 1))), [tooMany]);
  });
}

const maxInflated = 32 * 1024 * 1024;
const tooLargeInflated = ofFile("file.too_large_inflated", { limit: maxInflated });

limits("are 32 MiB inflated", async () => {
  const inflated = async (bytes: number): Promise<unknown> => {
    let length = 0;
    try {
      const file = { bytes: gzipSync(Buffer.alloc(bytes, "a")), fileName: "a.csv.gz" };
      for await (const piece of readUploadFile(file)) length += piece.length;
      return length;
    } catch (failure) {
      return (failure as { fault: unknown }).fault;
    }
  };
  for (const bytes of [maxInflated - 1, maxInflated]) assert.equal(await inflated(bytes), bytes);
  assert.equal(await inflated(maxInflated + 1), tooLargeInflated);
});

limits("of inflated bytes hold for rows that are valid until there", async () => {
  const row = csv([Object.values({ ...validCells.metric, campaign: "c".repeat(250) })]);
  const file = csv([[...names("metric"), "campaign"]]) + row.repeat(Math.ceil(maxInflated / row.length));
  assert.equal(await faultsOf("metric", gzipSync(file)), [tooLargeInflated]);
});

limits("are one row at least", async () => {
  assert.equal(await faultsOf("metric", csv([names("metric")])), [ofFile("file.no_rows")]);
  for (const empty of ["", "\ufeff", gzipSync("")]) {
    assert.equal(await faultsOf("metric", empty), [ofFile("file.empty")]);
  }
});

limits("count no empty lines at the end", async () => {
  const full = await validated("ad_spend", rowsOf("ad_spend", 10_000));
  for (const end of ["\n", "\r\n", "\n".repeat(9_999), "\n".repeat(10_000)]) {
    assert.equal(await validated("ad_spend", rowsOf("ad_spend", 10_000) + end), full);
    assert.equal(await faultsOf("ad_spend", rowsOf("ad_spend", 0) + end), [ofFile("file.no_rows")]);
  }
  const tooMany = (await faultsOf("ad_spend", rowsOf("ad_spend", 0) + "\n".repeat(10_001))) ?? [];
  assert.equal(
    tooMany.map(({ code }) => code),
    ["file.wrong_row_length", "file.too_many_uneven_rows"],
  );
  const wrong = inRows({ code: "file.wrong_row_length", params: { columns: names("ad_spend").length } }, null, [3, 4]);
  assert.equal(await faultsOf("ad_spend", `${rowsOf("ad_spend", 1)}\n\n${csv([values("ad_spend")])}\n`), [wrong]);
});

limits("count no rows of empty cells at the end, as spreadsheets leave them", async () => {
  const columns = names("ad_spend").length;
  const one = rowsOf("ad_spend", 1);
  const empty = (cells: number) => `${",".repeat(cells - 1)}\n`;
  for (const end of [empty(columns), empty(columns).repeat(10_000), `${empty(columns)}\n${empty(columns)}\n`]) {
    assert.equal(await validated("ad_spend", one + end), await validated("ad_spend", one));
    assert.equal(await faultsOf("ad_spend", rowsOf("ad_spend", 0) + end), [ofFile("file.no_rows")]);
  }
  const ofOtherLength = inRows({ code: "file.wrong_row_length", params: { columns } }, null, [3]);
  for (const cells of [2, columns - 1, columns + 1]) {
    assert.equal(await faultsOf("ad_spend", one + empty(cells)), [ofOtherLength]);
  }
  const inTheMiddle = await faultsOf("ad_spend", one + empty(columns) + empty(2) + csv([values("ad_spend")]));
  const blank = names("ad_spend").map((name) =>
    inRows({ code: ["impressions", "clicks", "cost"].includes(name) ? "cell.blank_number" : "cell.blank" }, name, [3]),
  );
  assert.equal(inTheMiddle, [...blank, inRows({ code: "file.wrong_row_length", params: { columns } }, null, [4])]);
});

limits("let other work run after at most 500 rows", async () => {
  let isOver = false;
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  await validated("ad_spend", rowsOf("ad_spend", 10_000));
  isOver = true;
  assert.ok(turns >= 20, `${turns} turns`);
});

limits("of the pieces in which a file is read may cut any character", async () => {
  for (const character of ["é", "한", "😀"]) {
    for (let before = 1; before < Buffer.byteLength(character); before += 1) {
      const bytes = Buffer.from(`${"a".repeat(64 * 1024 - before)}${character}`);
      const pieces: Buffer[] = [];
      for await (const piece of readUploadFile({ bytes, fileName: null })) pieces.push(piece);
      assert.ok(Buffer.concat(pieces).equals(bytes), `${character} ${before}`);
    }
  }
});

limits("let no workbook in, whatever its size", async () => {
  for (const bytes of [4, 2_000_000]) {
    const workbook = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(bytes, 0xff)]);
    assert.equal(await faultsOf("metric", workbook, { fileName: "spend.xlsx" }), [ofFile("file.workbook")]);
  }
});

const gzip = suite("a gzip file");
const valid = Buffer.from(oneRow("metric"));

gzip("is recognised by its first bytes; a name that ends in .gz promises one", async () => {
  for (const fileName of ["rows.csv", "rows.csv.gz", "ROWS.GZ"]) {
    assert.equal(await validated("metric", gzipSync(valid), { fileName }), await validated("metric", valid));
  }
  for (const fileName of ["rows.csv.gz", "ROWS.GZ"]) {
    assert.equal(await faultsOf("metric", valid, { fileName }), [ofFile("file.not_gzip")]);
  }
});

gzip("of several members is read to its end", async () => {
  const members = [valid.subarray(0, 7), valid.subarray(7), Buffer.from(csv([values("metric")]))];
  const validation = await validated("metric", Buffer.concat(members.map((member) => gzipSync(member))));
  assert.is(validation.outcome === "valid" && validation.rows.length, 2);
});

gzip("that was cut off anywhere is refused", async () => {
  const whole = gzipSync(valid);
  for (let length = 2; length < whole.length; length += 1) {
    const cutOff = whole.subarray(0, length);
    assert.equal(await faultsOf("metric", cutOff), [ofFile("file.gzip_truncated")], `${length}`);
  }
});

gzip("whose second member was cut off anywhere is refused", async () => {
  const second = gzipSync(csv([values("metric")]));
  for (let length = 1; length < second.length; length += 1) {
    const cutOff = Buffer.concat([gzipSync(valid), second.subarray(0, length)]);
    assert.is.not((await faultsOf("metric", cutOff)).length, 0, `${length}`);
  }
});

gzip("that was damaged is refused", async () => {
  const whole = gzipSync(valid);
  for (const index of [12, 20, whole.length - 6]) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8((damaged.readUInt8(index) ^ 0xff) & 0xff, index);
    const found = await faultsOf("metric", damaged);
    assert.equal([found.length > 0, found.flatMap(({ path }) => path)], [true, []], `${index}`);
  }
});

header.run();
faults.run();
limits.run();
gzip.run();
