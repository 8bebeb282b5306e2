import { createGzip, gzipSync } from "node:zlib";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { csv, rightCells } from "./csv-files.ts";

/** A file made to hurt, and what is answered. */
export interface HostileFile {
  readonly name: string;
  readonly kind: UploadKind;
  bytes(): Buffer | Promise<Buffer>;
  readonly reason: unknown;
}

const head = csv([Object.keys(rightCells.metric)]);
const row = csv([Object.values(rightCells.metric)]);
const spendHead = csv([Object.keys(rightCells.ad_spend)]);
const spendRow = csv([Object.values(rightCells.ad_spend)]);
const megabyte = 1_048_576;
const most = 32 * megabyte;

const tooLong = "is longer than 65,536 bytes: is a quotation mark not closed, or a line not ended?";
const many = (rows: number): string => Array.from({ length: 20 }, (_, index) => index + rows).join(", ");

/** `rest` and as much of a pattern as makes the whole so large. */
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
    reason: { file: [`row 2: ${tooLong}`] },
  },
  {
    name: "a single quoted field of 1 MB of quotation marks",
    kind: "ad_spend",
    bytes: () => filled(megabyte, `${spendHead}2026-03-31,partner,USD,"`, '""', '",10,1,0.5\n'),
    reason: { file: [`row 2: ${tooLong}`] },
  },
  {
    name: "a quotation mark that is never closed",
    kind: "ad_spend",
    bytes: () => filled(megabyte, `${spendHead}2026-03-31,"partner,USD,`, spendRow),
    reason: { file: [`row 2: ${tooLong}`] },
  },
  {
    name: "1 MB of commas",
    kind: "metric",
    bytes: () => filled(megabyte, head, ","),
    reason: { file: [`row 2: ${tooLong}`] },
  },
  {
    name: "1 MB of commas in the header",
    kind: "metric",
    bytes: () => filled(megabyte, "", ","),
    reason: { file: [`row 1: ${tooLong}`] },
  },
  {
    name: "1 MB of line ends",
    kind: "metric",
    bytes: () => filled(megabyte, head, "\n"),
    reason: {
      file: [
        `rows ${many(2)} and 981 more: must have 4 values, as the header has`,
        "was not read beyond row 1002, as so many rows do not fit the header",
      ],
    },
  },
  {
    name: "200,000 rows that are wrong in every cell",
    kind: "metric",
    bytes: () => gzipSync(`${head}${"x,\u0001,é,y\n".repeat(200_000)}`),
    reason: {
      date: [`rows ${many(2)} and 199,980 more: must be a date of the calendar written YYYY-MM-DD`],
      channel: [`rows ${many(2)} and 199,980 more: must not hold control characters`],
      event_category: [
        `rows ${many(2)} and 199,980 more: may hold letters and digits of English, space and _ - . : / ( ) % # & + alone`,
      ],
      event_value: [
        `rows ${many(2)} and 199,980 more: must be a decimal number such as 12.34 or -0.5: no plus sign, exponent or space`,
      ],
    },
  },
  {
    name: "a gzip bomb of 1 GB",
    kind: "metric",
    bytes: () => bomb(1_000),
    reason: { file: [`row 1: ${tooLong}`] },
  },
  {
    name: "a gzip bomb of spend",
    kind: "ad_spend",
    bytes: () => bomb(1_000),
    reason: { file: [`row 1: ${tooLong}`] },
  },
  {
    name: "a gzip bomb of 32 MiB of one value",
    kind: "metric",
    bytes: () => gzipSync(filled(most, head, "x")),
    reason: { file: [`row 2: ${tooLong}`] },
  },
  {
    name: "a gzip bomb of 32 MiB of commas",
    kind: "metric",
    bytes: () => gzipSync(filled(most, head, ",")),
    reason: { file: [`row 2: ${tooLong}`] },
  },
  {
    name: "a gzip bomb of 32 MiB of line ends",
    kind: "metric",
    bytes: () => gzipSync(filled(most, head, "\n")),
    reason: {
      file: [
        `rows ${many(2)} and 981 more: must have 4 values, as the header has`,
        "was not read beyond row 1002, as so many rows do not fit the header",
      ],
    },
  },
  {
    name: "a gzip bomb of 900 rows of 36,000 characters that all differ",
    kind: "metric",
    bytes: () => gzipSync(`${head}${Array.from({ length: 900 }, (_, index) => longRow(index)).join("")}`),
    reason: { event_category: [`rows ${many(2)} and 880 more: must have at most 256 characters`] },
  },
  {
    name: "a gzip bomb of 32 MiB of rows of spend",
    kind: "ad_spend",
    bytes: () => gzipSync(filled(most, spendHead, spendRow)),
    reason: { file: ["has more than 10,000 rows below its header"] },
  },
  {
    name: "a gzip of 40,000 empty members",
    kind: "metric",
    bytes: () => Buffer.concat(Array.from({ length: 40_000 }, () => gzipSync(""))),
    reason: { file: ["is empty"] },
  },
];

/** Files that are not what they seem. */
export const oddFiles: readonly HostileFile[] = [
  {
    name: "a quotation mark that is never closed in a short file",
    kind: "ad_spend",
    bytes: () => Buffer.from(`${spendHead}${spendRow}2026-03-31,"partner,USD,spring,10,1,0.5\n`),
    reason: { file: ["row 3: has a quotation mark that is not closed"] },
  },
  {
    name: "a quotation mark within a value",
    kind: "ad_spend",
    bytes: () => Buffer.from(`${spendHead}2026-03-31,part"ner,USD,spring,10,1,0.5\n`),
    reason: { file: ["row 2: has a quotation mark in a value that is not quoted as a whole"] },
  },
  {
    name: "a quotation mark within a quoted value",
    kind: "ad_spend",
    bytes: () => Buffer.from(`${spendHead}2026-03-31,"part"ner",USD,spring,10,1,0.5\n`),
    reason: { file: ["row 2: has a quotation mark within a quoted value: write it twice"] },
  },
  {
    name: "lines that end as they did on old Macs",
    kind: "metric",
    bytes: () => filled(megabyte, head.replace("\n", "\r"), row.replace("\n", "\r")),
    reason: { file: [`row 1: ${tooLong}`] },
  },
  {
    name: "rows of every length but the header's",
    kind: "metric",
    bytes: () => Buffer.from(`${head}a\n${row}a,b,c,d,e\n\n`),
    reason: { file: ["rows 2, 4, 5: must have 4 values, as the header has"] },
  },
  {
    name: "bytes that are not UTF-8",
    kind: "metric",
    bytes: () => Buffer.concat([Buffer.from(head), Buffer.from([0xc3, 0x28]), Buffer.from(row)]),
    reason: { file: ["is not UTF-8"] },
  },
  {
    name: "a character that is cut off at the end",
    kind: "metric",
    bytes: () => Buffer.concat([Buffer.from(head + row), Buffer.from([0xe2, 0x82])]),
    reason: { file: ["is not UTF-8"] },
  },
  {
    name: "half a character, as if it were UTF-8",
    kind: "metric",
    bytes: () => Buffer.concat([Buffer.from(head), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(row)]),
    reason: { file: ["is not UTF-8"] },
  },
  {
    name: "UTF-16 with a byte order mark",
    kind: "metric",
    bytes: () => Buffer.from(`\ufeff${head}${row}`, "utf16le"),
    reason: { file: ["is not UTF-8"] },
  },
  {
    name: "a byte order mark within",
    kind: "metric",
    bytes: () => Buffer.from(`${head}\ufeff${row}`),
    reason: { date: ["row 2: must not begin or end with white space"] },
  },
  {
    name: "U+0000",
    kind: "metric",
    bytes: () => Buffer.from(`${head}2026-03-31,part\0ner,visits,1\n`),
    reason: { channel: ["row 2: must not contain the character U+0000 or an unpaired surrogate"] },
  },
  {
    name: "gzip within gzip",
    kind: "metric",
    bytes: () => gzipSync(gzipSync(head + row)),
    reason: { file: ["is not UTF-8"] },
  },
];
