import { createHash } from "node:crypto";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { csvOf, csvPieces, measureCsvFile } from "../../../read-api/raw-exports/csv-file.ts";
import {
  completedOf,
  type Downloads,
  fileOf,
  type Page,
  pagesOf,
  properties,
  startDownloads,
  streamOf,
} from "./downloads.ts";

let downloads: Downloads;
const resumed = suite("a download that is resumed");
resumed.before(async () => {
  downloads = await startDownloads();
});
resumed.after(() => downloads.close());

const give = async (pages: readonly Page[], resumes: boolean): Promise<Buffer> => {
  Object.assign(downloads.stored, { pages, found: await completedOf(pages, resumes) });
  return fileOf(pages);
};

resumed("equals the whole one from there on, byte for byte, from any offset", async () => {
  const anyExport = fc.record({
    rows: fc.integer({ min: 0, max: 40 }),
    size: fc.integer({ min: 1, max: 12 }),
    resumes: fc.boolean(),
  });
  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  await fc.assert(
    fc.asyncProperty(anyExport, place, async ({ rows, size, resumes }, part) => {
      const file = await give(pagesOf(rows, size), resumes);
      const at = Math.floor(part * file.length);
      const { status, bytes, isCut } = await downloads.get({ Range: `bytes=${at}-` });
      assert.equal([status, isCut], [206, false]);
      assert.ok(bytes.equals(file.subarray(at)));
    }),
    { numRuns: 60 },
  );
});

resumed("in pieces of any length is the whole one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 100, max: 700 }), fc.boolean(), async (length, resumes) => {
      const file = await give(pagesOf(30, 7), resumes);
      const pieces: Buffer[] = [];
      for (let at = 0; at < file.length; at += length) {
        pieces.push((await downloads.get({ Range: `bytes=${at}-${at + length - 1}` })).bytes);
      }
      assert.ok(Buffer.concat(pieces).equals(file));
    }),
    { numRuns: 8 },
  );
});

resumed("can end at the first byte of a page", async () => {
  const pages = pagesOf(20, 5);
  const file = await give(pages, false);
  const { resumePoints } = await completedOf(pages, true);
  for (const { offset } of resumePoints.slice(0, -1)) {
    const { bytes, isCut } = await downloads.get({ Range: `bytes=${offset - 1}-${offset}` });
    assert.equal([bytes.toString("hex"), isCut], [file.toString("hex", offset - 1, offset + 1), false]);
  }
});

resumed("reads from the last resume point before it", async () => {
  const pages = pagesOf(20, 5);
  await give(pages, true);
  const points = await completedOf(pages, true);
  for (const [index, { offset, after }] of points.resumePoints.entries()) {
    const before = index === 0 ? null : points.resumePoints[index - 1]?.after;
    downloads.read.begun.length = 0;
    for (const at of [offset - 1, offset, offset + 1]) {
      if (at < points.bytes) await downloads.get({ Range: `bytes=${at}-${at}` });
    }
    const expected = offset < points.bytes ? [before, after, after] : [before];
    assert.equal(downloads.read.begun, expected);
  }
});

resumed.run();

const described = suite("the file of an export, while its rows are read,");

const collected = async (pages: readonly Page[], hasHeader = true): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of csvPieces(properties, streamOf(pages), hasHeader)) pieces.push(piece);
  return Buffer.concat(pieces);
};

described("has the rows, length and hash of the download, however rows are split", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), async (rows, size) => {
      const file = await collected(pagesOf(rows, size));
      assert.ok(file.equals(await collected(pagesOf(rows, 1_000))));
      assert.equal(await measureCsvFile(properties, streamOf(pagesOf(rows, size))), {
        rows,
        bytes: file.length,
        sha256: createHash("sha256").update(file).digest("hex"),
        resumePoints: [],
      });
    }),
    { numRuns: 40 },
  );
});

described("skips empty pages", async () => {
  const [first = { rows: [], after: null }, second = { rows: [], after: null }] = pagesOf(8, 4);
  const empty = { rows: [], after: first.after };
  const sparse = [empty, first, empty, empty, second, { rows: [], after: null }];
  assert.equal(
    await measureCsvFile(properties, streamOf(sparse)),
    await measureCsvFile(properties, streamOf([first, second])),
  );
  assert.ok((await collected(sparse)).equals(await collected([first, second])));
  assert.is((await collected([empty], false)).length, 0);
});

const mebibyte = 1024 * 1024;
/** Pages of that many bytes and a little, of 64 rows each. */
const largePages = (count: number, bytes: number): readonly Page[] =>
  Array.from({ length: count }, (_, index) => ({
    rows: Array.from({ length: 64 }, () => [String(index), "x".repeat(bytes / 64), null]),
    after: index === count - 1 ? null : { at: "2026-03-31T12:00:00.000Z", id: String(index) },
  }));

described("has a resume point behind every 8 MiB, none at its end", async () => {
  const pages = largePages(21, mebibyte);
  const { resumePoints, bytes } = await measureCsvFile(properties, streamOf(pages));
  assert.equal(
    resumePoints.map(({ after }) => after.id),
    ["7", "15"],
  );
  const lengths = pages.map(({ rows }) => Buffer.byteLength(csvOf(properties, rows)));
  const until = (count: number): number =>
    lengths.slice(0, count).reduce((sum, one) => sum + one, "event_id,device_id,event_value\r\n".length);
  assert.equal(
    resumePoints.map(({ offset }) => offset),
    [until(8), until(16)],
  );
  assert.is(bytes, until(21));
});

described("has none of fewer bytes, and one for every page of more", async () => {
  const count = async (pages: readonly Page[]): Promise<number> =>
    (await measureCsvFile(properties, streamOf(pages))).resumePoints.length;
  assert.is(await count(largePages(7, mebibyte)), 0);
  assert.is(await count(largePages(3, 9 * mebibyte)), 2);
  assert.is(await count(largePages(1, 9 * mebibyte)), 0);
});

described.run();
