import { suite } from "uvu";
import * as assert from "uvu/assert";
import { countsBetween, distributionOf, stabilityIndex } from "../../../infra/training/drift.ts";

const test = suite("drift of features");

test("the index is the sum of (actual - expected) ln(actual / expected) over the bins", () => {
  const index = stabilityIndex([50, 50], [75, 25]) ?? Number.NaN;
  assert.ok(Math.abs(index - (0.25 * Math.log(1.5) - 0.25 * Math.log(0.5))) < 1e-12, String(index));
});

test("the index is 0 for the same shares, whatever the counts", () => {
  assert.is(stabilityIndex([1, 2, 1], [10, 20, 10]), 0);
});

test("an empty bin counts as one in ten thousand", () => {
  const expected = (1 - 0.5) * Math.log(1 / 0.5) + (1e-4 - 0.5) * Math.log(1e-4 / 0.5);
  assert.is(stabilityIndex([50, 50], [7, 0]), expected);
});

test("the index is not known where nothing was counted", () => {
  assert.is(stabilityIndex([0, 0], [1, 2]), null);
  assert.is(stabilityIndex([1, 2], [0, 0]), null);
});

test("a feature is counted between its deciles, each once", () => {
  assert.equal(distributionOf(Float32Array.from({ length: 20 }, (_, index) => index)), {
    edges: [1, 3, 5, 7, 9, 11, 13, 15, 17],
    counts: new Array(10).fill(2),
  });
});

test("a feature with two values has a bin for each, however rare one is", () => {
  const rarely = (value: number, other: number) => Float32Array.of(value, ...new Array<number>(39).fill(other));
  assert.equal(distributionOf(rarely(1, 0)), { edges: [0], counts: [39, 1] });
  assert.equal(distributionOf(rarely(0, 1)), { edges: [0], counts: [1, 39] });
});

test("a feature of one value shows what lies above it later", () => {
  const { edges, counts } = distributionOf(Float32Array.of(0, 0, 0));
  assert.equal({ edges, counts }, { edges: [0], counts: [3, 0] });
  assert.equal(countsBetween(edges, Float32Array.of(0, 1)), [1, 1]);
});

test("edges are compared as the float32 that they stand for", () => {
  const tenth = Math.fround(0.1);
  assert.equal(countsBetween([0.1], Float32Array.of(tenth, tenth + 1e-7)), [1, 1]);
});

test.run();
