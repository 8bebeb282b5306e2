import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { chunkLimit, stagedChunks } from "../../../commands/uploads/staged-chunks.ts";
import type { SpendRow } from "../../../domain/uploads/events.ts";
import { metricRow, spendRow } from "../../examples/uploaded-rows.ts";
import { uploadId } from "../../examples/uploads.ts";

const head = { requestId: uploadId(1), appId: 1 };
type Rows = Parameters<typeof stagedChunks>[1];
const chunks = suite("staged chunks");

const chunked = (rows: Rows, first = 0) => [...stagedChunks({ ...head, kind: "ad_spend" }, rows, first)];
const sizes = (rows: Rows, first = 0) => chunked(rows, first).map(({ data }) => data.rows.length);
const encoded = (data: unknown): number => Buffer.byteLength(JSON.stringify(data));
/** So many rows whose texts have so many letters, of so many bytes each. */
const rowsOf = (count: number, letters: number, letter = "x"): readonly SpendRow[] =>
  Array.from({ length: count }, (_, index) => {
    return spendRow({ row: index + 2, campaignParams: { campaign: letter.repeat(letters) } });
  });

chunks("are one of the kind's type for a small file", () => {
  const rows = rowsOf(3, 10);
  assert.equal(chunked(rows), [{ type: "SpendRowsStaged", data: { ...head, rows } }]);
  const metrics = [metricRow(), metricRow({ row: 3 })];
  assert.equal(
    [...stagedChunks({ ...head, kind: "metric" }, metrics, 0)],
    [{ type: "MetricRowsStaged", data: { ...head, rows: metrics } }],
  );
});

chunks("are none once every row is staged", () => {
  assert.equal(chunked(rowsOf(3, 10), 3), []);
});

chunks("are as large as possible below 512 KiB", () => {
  const frame = encoded({ ...head, rows: [spendRow(), spendRow({ row: 3, campaignParams: { campaign: "" } })] });
  const filling = (bytes: number) => [
    spendRow(),
    spendRow({ row: 3, campaignParams: { campaign: "x".repeat(bytes - frame) } }),
  ];
  assert.equal(encoded(chunked(filling(chunkLimit - 1))[0]?.data), chunkLimit - 1);
  assert.equal(sizes(filling(chunkLimit - 2)), [2]);
  assert.equal(sizes(filling(chunkLimit - 1)), [2]);
  assert.equal(sizes(filling(chunkLimit)), [1, 1]);
  assert.equal(sizes(filling(chunkLimit + 1)), [1, 1]);
});

chunks("are measured in bytes, not letters", () => {
  const [narrow, wide] = [sizes(rowsOf(3_000, 256)), sizes(rowsOf(3_000, 256, "광"))];
  assert.is(narrow.length < wide.length, true);
  for (const { data } of chunked(rowsOf(3_000, 256, "광"))) assert.is(encoded(data) < chunkLimit, true);
});

chunks("have the same boundaries when staging is resumed", () => {
  const texts = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.nat({ max: 20 }), (lengths, skipped) => {
      const rows = lengths.map((length, index) =>
        spendRow({ row: index + 2, campaignParams: { campaign: "x".repeat(length) } }),
      );
      const whole = chunked(rows);
      const staged = whole.slice(0, skipped).reduce((sum, { data }) => sum + data.rows.length, 0);
      assert.equal(chunked(rows, staged), whole.slice(skipped));
      assert.equal(
        whole.flatMap(({ data }): readonly unknown[] => data.rows),
        rows,
      );
    }),
    { numRuns: 50 },
  );
});

chunks.run();
