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

const hostile = (
  kind: UploadKind,
  name: string,
  bytes: HostileFile["bytes"],
  faults: readonly Fault[],
): HostileFile => ({ kind, name, bytes, faults });

/** Files that cost time or memory when they are read without care. */
export const heavyFiles: readonly HostileFile[] = [
  hostile(
    "ad_spend",
    "a single field of 1 MB",
    () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,`, "x", ",10,1,0.5\n"),
    tooLongIn(2),
  ),
  hostile(
    "ad_spend",
    "a single quoted field of 1 MB of quotation marks",
    () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,"`, '""', '",10,1,0.5\n'),
    tooLongIn(2),
  ),
  hostile(
    "ad_spend",
    "a quotation mark that is never closed",
    () => filled(megabyte, `${spendHead}2026-03-31,"partner,USD,`, spendRow),
    tooLongIn(2),
  ),
  hostile("metric", "1 MB of commas", () => filled(megabyte, head, ","), tooLongIn(2)),
  hostile("metric", "1 MB of commas in the header", () => filled(megabyte, "", ","), tooLongIn(1)),
  hostile("metric", "1 MB of line ends", () => filled(megabyte, head, "\n"), uneven),
  hostile(
    "metric",
    "200,000 rows that are wrong in every cell",
    () => gzipSync(`${head}${"x,\u0001,é,y\n".repeat(200_000)}`),
    [
      inFirstRows({ code: "cell.not_a_date" }, "date", 200_000),
      inFirstRows({ code: "cell.control_characters" }, "channel", 200_000),
      inFirstRows({ code: "cell.event_category" }, "event_category", 200_000),
      inFirstRows({ code: "cell.not_a_signed_decimal" }, "event_value", 200_000),
    ],
  ),
  hostile("metric", "a gzip bomb of 1 GB", () => bomb(1_000), tooLongIn(1)),
  hostile("ad_spend", "a gzip bomb of spend", () => bomb(1_000), tooLongIn(1)),
  hostile("metric", "a gzip bomb of 32 MiB of one value", () => gzipSync(filled(most, head, "x")), tooLongIn(2)),
  hostile("metric", "a gzip bomb of 32 MiB of commas", () => gzipSync(filled(most, head, ",")), tooLongIn(2)),
  hostile("metric", "a gzip bomb of 32 MiB of line ends", () => gzipSync(filled(most, head, "\n")), uneven),
  hostile(
    "metric",
    "a gzip bomb of 900 rows of 36,000 characters that all differ",
    () => gzipSync(`${head}${Array.from({ length: 900 }, (_, index) => longRow(index)).join("")}`),
    [inFirstRows({ code: "cell.too_long", params: { limit: 256 } }, "event_category", 900)],
  ),
  hostile("ad_spend", "a gzip bomb of 32 MiB of rows of spend", () => gzipSync(filled(most, spendHead, spendRow)), [
    ofFile("file.too_many_rows", { limit: 10_000 }),
  ]),
  hostile(
    "metric",
    "a gzip of 40,000 empty members",
    () => Buffer.concat(Array.from({ length: 40_000 }, () => gzipSync(""))),
    [ofFile("file.empty")],
  ),
];

/** Files that are not what they seem. */
export const oddFiles: readonly HostileFile[] = [
  hostile(
    "ad_spend",
    "a quotation mark that is never closed in a short file",
    () => Buffer.from(`${spendHead}${spendRow}2026-03-31,"partner,USD,spring,10,1,0.5\n`),
    [inRows({ code: "file.quote_not_closed" }, null, [3])],
  ),
  hostile(
    "ad_spend",
    "a quotation mark within a value",
    () => Buffer.from(`${spendHead}2026-03-31,part"ner,USD,spring,10,1,0.5\n`),
    [inRows({ code: "file.quote_in_plain_value" }, null, [2])],
  ),
  hostile(
    "ad_spend",
    "a quotation mark within a quoted value",
    () => Buffer.from(`${spendHead}2026-03-31,"part"ner",USD,spring,10,1,0.5\n`),
    [inRows({ code: "file.quote_in_quoted_value" }, null, [2])],
  ),
  hostile(
    "metric",
    "lines that end as they did on old Macs",
    () => filled(megabyte, head.replace("\n", "\r"), row.replace("\n", "\r")),
    tooLongIn(1),
  ),
  hostile("metric", "rows of every length but the header's", () => Buffer.from(`${head}a\n${row}a,b,c,d,e\n\n`), [
    inRows({ code: "file.wrong_row_length", params: { columns: 4 } }, null, [2, 4, 5]),
  ]),
  hostile(
    "metric",
    "bytes that are not UTF-8",
    () => Buffer.concat([Buffer.from(head), Buffer.from([0xc3, 0x28]), Buffer.from(row)]),
    [ofFile("file.not_utf8")],
  ),
  hostile(
    "metric",
    "a character that is cut off at the end",
    () => Buffer.concat([Buffer.from(head + row), Buffer.from([0xe2, 0x82])]),
    [ofFile("file.not_utf8")],
  ),
  hostile(
    "metric",
    "half a character, as if it were UTF-8",
    () => Buffer.concat([Buffer.from(head), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(row)]),
    [ofFile("file.not_utf8")],
  ),
  hostile("metric", "UTF-16 with a byte order mark", () => Buffer.from(`\ufeff${head}${row}`, "utf16le"), [
    ofFile("file.not_utf8"),
  ]),
  hostile("metric", "a byte order mark within", () => Buffer.from(`${head}\ufeff${row}`), [
    inRows({ code: "cell.white_space" }, "date", [2]),
  ]),
  hostile("metric", "U+0000", () => Buffer.from(`${head}2026-03-31,part\0ner,visits,1\n`), [
    inRows({ code: "cell.illegal_text" }, "channel", [2]),
  ]),
  hostile("metric", "gzip within gzip", () => gzipSync(gzipSync(head + row)), [ofFile("file.not_utf8")]),
];
