import { createGzip, gzipSync } from "node:zlib";
import type { Fault, Message } from "../../../domain/fault.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { csv, inRows, ofFile, validCells } from "./csv-files.ts";

/** A hostile file, and its faults. */
export interface HostileFile {
  readonly name: string;
  readonly kind: UploadKind;
  bytes(): Buffer | Promise<Buffer>;
  readonly faults: readonly Fault[];
}

const head = csv([Object.keys(validCells.metric)]);
const row = csv([Object.values(validCells.metric)]);
const spendHead = csv([Object.keys(validCells.ad_spend)]);
const spendRow = csv([Object.values(validCells.ad_spend)]);
const megabyte = 1_048_576;
const most = 32 * megabyte;

const tooLongIn = (row: number): readonly Fault[] => [
  inRows({ code: "file.row_too_long", params: { limit: 65_536 } }, null, [row]),
];
/** A fault in the rows from 2 on. */
const inFirstRows = (message: Message, column: string | null, count: number): Fault =>
  inRows(
    message,
    column,
    Array.from({ length: 20 }, (_, index) => index + 2),
    count,
  );
const uneven: readonly Fault[] = [
  inFirstRows({ code: "file.wrong_row_length", params: { columns: 4 } }, null, 1_001),
  ofFile("file.too_many_uneven_rows", { row: 1_002 }),
];

/** A file of exactly `size` bytes: `start`, a repeated pattern, `end`. */
function filled(size: number, start: string, pattern: string, end = ""): Buffer {
  const filling = Buffer.alloc(size - start.length - end.length, pattern);
  return Buffer.concat([Buffer.from(start), filling, Buffer.from(end)]);
}

/** Zeros inflated to 1,000 times what is sent: made without ever being in memory. */
async function bomb(megabytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const sent: Buffer[] = [];
  gzip.on("data", (piece: Buffer) => sent.push(piece));
  const ended = new Promise((resolve) => gzip.on("end", resolve));
  const zeros = Buffer.alloc(megabyte);
  for (let count = 0; count < megabytes; count += 1) await new Promise((resolve) => gzip.write(zeros, resolve));
  gzip.end();
  await ended;
  return Buffer.concat(sent);
}

function longRow(index: number): string {
  return `2026-03-31,partner,${index}${"x".repeat(36_000)},1\n`;
}

/** Files that cost time or memory when they are read without care. */
export const heavyFiles: readonly HostileFile[] = [
  {
    name: "a single field of 1 MB",
    kind: "ad_spend",
    bytes: () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,`, "x", ",10,1,0.5\n"),
    faults: tooLongIn(2),
  },
  {
    name: "a single quoted field of 1 MB of quotation marks",
    kind: "ad_spend",
    bytes: () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,"`, '""', '",10,1,0.5\n'),
    faults: tooLongIn(2),
  },
  {
    name: "a quotation mark that is never closed",
    kind: "ad_spend",
    bytes: () => filled(megabyte, `${spendHead}2026-03-31,"partner,USD,`, spendRow),
    faults: tooLongIn(2),
  },
  {
    name: "1 MB of commas",
    kind: "metric",
    bytes: () => filled(megabyte, head, ","),
    faults: tooLongIn(2),
  },
  {
    name: "1 MB of commas in the header",
    kind: "metric",
    bytes: () => filled(megabyte, "", ","),
    faults: tooLongIn(1),
  },
  {
    name: "1 MB of line ends",
    kind: "metric",
    bytes: () => filled(megabyte, head, "\n"),
    faults: uneven,
  },
  {
    name: "200,000 rows that are wrong in every cell",
    kind: "metric",
    bytes: () => gzipSync(`${head}${"x,\u0001,é,y\n".repeat(200_000)}`),
    faults: [
      inFirstRows({ code: "cell.not_a_date" }, "date", 200_000),
      inFirstRows({ code: "cell.control_characters" }, "channel", 200_000),
      inFirstRows({ code: "cell.event_category" }, "event_category", 200_000),
      inFirstRows({ code: "cell.not_a_signed_decimal" }, "event_value", 200_000),
    ],
  },
  {
    name: "a gzip bomb of 1 GB",
    kind: "metric",
    bytes: () => bomb(1_000),
    faults: tooLongIn(1),
  },
  {
    name: "a gzip bomb of spend",
    kind: "ad_spend",
    bytes: () => bomb(1_000),
    faults: tooLongIn(1),
  },
  {
    name: "a gzip bomb of 32 MiB of one value",
    kind: "metric",
    bytes: () => gzipSync(filled(most, head, "x")),
    faults: tooLongIn(2),
  },
  {
    name: "a gzip bomb of 32 MiB of commas",
    kind: "metric",
    bytes: () => gzipSync(filled(most, head, ",")),
    faults: tooLongIn(2),
  },
  {
    name: "a gzip bomb of 32 MiB of line ends",
    kind: "metric",
    bytes: () => gzipSync(filled(most, head, "\n")),
    faults: uneven,
  },
  {
    name: "a gzip bomb of 900 rows of 36,000 characters that all differ",
    kind: "metric",
    bytes: () => gzipSync(`${head}${Array.from({ length: 900 }, (_, index) => longRow(index)).join("")}`),
    faults: [inFirstRows({ code: "cell.too_long", params: { limit: 256 } }, "event_category", 900)],
  },
  {
    name: "a gzip bomb of 32 MiB of rows of spend",
    kind: "ad_spend",
    bytes: () => gzipSync(filled(most, spendHead, spendRow)),
    faults: [ofFile("file.too_many_rows", { limit: 10_000 })],
  },
  {
    name: "a gzip of 40,000 empty members",
    kind: "metric",
    bytes: () => Buffer.concat(Array.from({ length: 40_000 }, () => gzipSync(""))),
    faults: [ofFile("file.empty")],
  },
];

/** Files that are not what they seem. */
export const oddFiles: readonly HostileFile[] = [
  {
    name: "a quotation mark that is never closed in a short file",
    kind: "ad_spend",
    bytes: () => Buffer.from(`${spendHead}${spendRow}2026-03-31,"partner,USD,spring,10,1,0.5\n`),
    faults: [inRows({ code: "file.quote_not_closed" }, null, [3])],
  },
  {
    name: "a quotation mark within a value",
    kind: "ad_spend",
    bytes: () => Buffer.from(`${spendHead}2026-03-31,part"ner,USD,spring,10,1,0.5\n`),
    faults: [inRows({ code: "file.quote_in_plain_value" }, null, [2])],
  },
  {
    name: "a quotation mark within a quoted value",
    kind: "ad_spend",
    bytes: () => Buffer.from(`${spendHead}2026-03-31,"part"ner",USD,spring,10,1,0.5\n`),
    faults: [inRows({ code: "file.quote_in_quoted_value" }, null, [2])],
  },
  {
    name: "lines that end as they did on old Macs",
    kind: "metric",
    bytes: () => filled(megabyte, head.replace("\n", "\r"), row.replace("\n", "\r")),
    faults: tooLongIn(1),
  },
  {
    name: "rows of every length but the header's",
    kind: "metric",
    bytes: () => Buffer.from(`${head}a\n${row}a,b,c,d,e\n\n`),
    faults: [inRows({ code: "file.wrong_row_length", params: { columns: 4 } }, null, [2, 4, 5])],
  },
  {
    name: "bytes that are not UTF-8",
    kind: "metric",
    bytes: () => Buffer.concat([Buffer.from(head), Buffer.from([0xc3, 0x28]), Buffer.from(row)]),
    faults: [ofFile("file.not_utf8")],
  },
  {
    name: "a character that is cut off at the end",
    kind: "metric",
    bytes: () => Buffer.concat([Buffer.from(head + row), Buffer.from([0xe2, 0x82])]),
    faults: [ofFile("file.not_utf8")],
  },
  {
    name: "half a character, as if it were UTF-8",
    kind: "metric",
    bytes: () => Buffer.concat([Buffer.from(head), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(row)]),
    faults: [ofFile("file.not_utf8")],
  },
  {
    name: "UTF-16 with a byte order mark",
    kind: "metric",
    bytes: () => Buffer.from(`\ufeff${head}${row}`, "utf16le"),
    faults: [ofFile("file.not_utf8")],
  },
  {
    name: "a byte order mark within",
    kind: "metric",
    bytes: () => Buffer.from(`${head}\ufeff${row}`),
    faults: [inRows({ code: "cell.white_space" }, "date", [2])],
  },
  {
    name: "U+0000",
    kind: "metric",
    bytes: () => Buffer.from(`${head}2026-03-31,part\0ner,visits,1\n`),
    faults: [inRows({ code: "cell.illegal_text" }, "channel", [2])],
  },
  {
    name: "gzip within gzip",
    kind: "metric",
    bytes: () => gzipSync(gzipSync(head + row)),
    faults: [ofFile("file.not_utf8")],
  },
];
