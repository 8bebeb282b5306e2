import { gzipSync } from "node:zlib";
import type { Fault, Message } from "../../../domain/fault.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { csv, inRows, ofFile, validCells } from "./csv-files.ts";

/** A hostile file, and its faults. */
interface HostileFile {
  readonly name: string;
  readonly kind: UploadKind;
  bytes(): Buffer;
  readonly faults: readonly Fault[];
}

const head = csv([Object.keys(validCells.metric)]);
const row = csv([Object.values(validCells.metric)]);
const spendHead = csv([Object.keys(validCells.ad_spend)]);
const spendRow = csv([Object.values(validCells.ad_spend)]);
const megabyte = 1_048_576;
const maxInflated = 32 * megabyte;

const tooLongIn = (row: number): Fault => inRows({ code: "file.row_too_long", params: { limit: 65_536 } }, null, [row]);
const firstRows = Array.from({ length: 20 }, (_, index) => index + 2);
/** A fault in `count` rows from row 2 on. */
const inFirstRows = (code: string, column: string | null, count: number, params?: Message["params"]): Fault =>
  inRows({ code, ...(params && { params }) }, column, firstRows, count);
const notUtf8 = ofFile("file.not_utf8");

/** A file of exactly `size` bytes: `start`, a repeated pattern, `end`. */
function filled(size: number, start: string, pattern: string, end = ""): Buffer {
  const filling = Buffer.alloc(size - start.length - end.length, pattern);
  return Buffer.concat([Buffer.from(start), filling, Buffer.from(end)]);
}
/** A gzip of many equal members. */
const members = (count: number, content: string | Buffer): Buffer =>
  Buffer.concat(Array(count).fill(gzipSync(content, { level: 9 })));
const inflatedTo32MiB = (pattern: string): Buffer => gzipSync(filled(maxInflated, head, pattern));
const longRow = (index: number): string => `2026-03-31,partner,${index}${"x".repeat(36_000)},1\n`;

type Example = readonly [name: string, bytes: () => Buffer | string, ...faults: Fault[]];

const named =
  (kind: UploadKind) =>
  ([name, bytes, ...faults]: Example): HostileFile => ({ name, kind, bytes: () => Buffer.from(bytes()), faults });

const unevenRows = [
  inFirstRows("file.wrong_row_length", null, 1_001, { columns: 4 }),
  ofFile("file.too_many_uneven_rows", { row: 1_002 }),
];

const heavySpend: readonly Example[] = [
  ["1 MB in one field", () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,`, "x", ",1,1,1\n"), tooLongIn(2)],
  [
    "1 MB of quotation marks in one quoted field",
    () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,"`, '""', '",10,1,0.5\n'),
    tooLongIn(2),
  ],
  ["an unclosed quotation mark", () => filled(megabyte, `${spendHead}2026-03-31,"partner,`, spendRow), tooLongIn(2)],
  [
    "32 MiB of valid rows in a gzip",
    () => gzipSync(filled(maxInflated, spendHead, spendRow)),
    ofFile("file.too_many_rows", { limit: 10_000 }),
  ],
];

const heavyMetrics: readonly Example[] = [
  ["1 MB of commas", () => filled(megabyte, head, ","), tooLongIn(2)],
  ["1 MB of commas in the header", () => filled(megabyte, "", ","), tooLongIn(1)],
  ["1 MB of line feeds", () => filled(megabyte, head, "\n"), ...unevenRows],
  [
    "1 MB with carriage returns as line ends",
    () => filled(megabyte, head.replace("\n", "\r"), "a,b,c,1\r"),
    tooLongIn(1),
  ],
  [
    "200,000 rows that are invalid in every cell",
    () => gzipSync(`${head}${"x,\u0001,é,y\n".repeat(200_000)}`),
    inFirstRows("cell.not_a_date", "date", 200_000),
    inFirstRows("cell.control_characters", "channel", 200_000),
    inFirstRows("cell.event_category", "event_category", 200_000),
    inFirstRows("cell.not_a_signed_decimal", "event_value", 200_000),
  ],
  ["800 MiB of zeros in a gzip", () => members(100, Buffer.alloc(8 * megabyte)), tooLongIn(1)],
  ["32 MiB of one value in a gzip", () => inflatedTo32MiB("x"), tooLongIn(2)],
  ["32 MiB of commas in a gzip", () => inflatedTo32MiB(","), tooLongIn(2)],
  ["32 MiB of line feeds in a gzip", () => inflatedTo32MiB("\n"), ...unevenRows],
  [
    "900 distinct values of 36,000 characters in a gzip",
    () => gzipSync(`${head}${Array.from({ length: 900 }, (_, index) => longRow(index)).join("")}`),
    inFirstRows("cell.too_long", "event_category", 900, { limit: 256 }),
  ],
  ["40,000 empty members of a gzip", () => members(40_000, ""), ofFile("file.empty")],
];

/** Files that cost time or memory when they are read without care. */
export const heavyFiles = [...heavySpend.map(named("ad_spend")), ...heavyMetrics.map(named("metric"))];

const oddExamples: readonly Example[] = [
  [
    "an unclosed quotation mark at the end",
    () => `${head}${row}a,"b,c,1\n`,
    inRows({ code: "file.quote_not_closed" }, null, [3]),
  ],
  ["a quotation mark in a value", () => `${head}a,b"c,d,1\n`, inRows({ code: "file.quote_in_plain_value" }, null, [2])],
  [
    "a quotation mark in a quoted value",
    () => `${head}a,"b"c",d,1\n`,
    inRows({ code: "file.quote_in_quoted_value" }, null, [2]),
  ],
  [
    "rows of every length but the header's",
    () => `${head}a\n${row}a,b,c,d,e\n\n`,
    inRows({ code: "file.wrong_row_length", params: { columns: 4 } }, null, [2, 4]),
  ],
  ["bytes that are not UTF-8", () => Buffer.from(`${head}\xc3\x28\n`, "latin1"), notUtf8],
  ["an incomplete character at the end", () => Buffer.from(`${head}${row}\xe2\x82`, "latin1"), notUtf8],
  ["an unpaired surrogate", () => Buffer.from(`${head}\xed\xa0\x80${row}`, "latin1"), notUtf8],
  ["UTF-16 with a byte order mark", () => Buffer.from(`\ufeff${head}${row}`, "utf16le"), notUtf8],
  ["a byte order mark in a row", () => `${head}\ufeff${row}`, inRows({ code: "cell.white_space" }, "date", [2])],
  ["U+0000", () => `${head}2026-03-31,part\0ner,visits,1\n`, inRows({ code: "cell.illegal_text" }, "channel", [2])],
  ["gzip in gzip", () => gzipSync(gzipSync(head + row)), notUtf8],
];

/** Small files that are not the CSV that they seem. */
export const oddFiles = oddExamples.map(named("metric"));
