import { suite } from "uvu";
import * as assert from "uvu/assert";
import { seededRandom } from "../../../infra/demo/random.ts";
import { boostStumps, type Lesson } from "../../../infra/training/boosted-stumps.ts";
import { modelProbability } from "./model-probability.ts";

const test = suite("boosted stumps");
const count = 600;

/** Rows of three features; the label depends on the second one alone, 90 % above 5 and 10 % up to it. */
function lesson(seed: number): Lesson {
  const random = seededRandom(seed);
  const rows = Float32Array.from({ length: 3 * count }, () => random.whole(0, 10));
  const labels = Uint8Array.from({ length: count }, (_, row) =>
    random.chance((rows[3 * row + 1] ?? 0) > 5 ? 0.9 : 0.1) ? 1 : 0,
  );
  const fit = Uint32Array.from({ length: count }, (_, row) => row);
  return { rows, width: 3, labels, fit, tuning: fit.filter((row) => row % 5 === 0) };
}

test("find the feature, the threshold and the probabilities on both sides", () => {
  const model = boostStumps(lesson(1));
  const strongest = [...model.steps].sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight))[0];
  assert.equal([strongest?.feature, strongest?.threshold], [1, 5]);
  const below = modelProbability(model, [5, 5, 5]);
  const above = modelProbability(model, [5, 6, 5]);
  assert.ok(below < 0.2 && above > 0.75, `${below} and ${above}`);
});

test("the same rows give the same model", () => {
  assert.equal(boostStumps(lesson(2)), boostStumps(lesson(2)));
});

test("nothing to learn gives the base rate", () => {
  const { rows, ...rest } = lesson(3);
  const { bias, steps } = boostStumps({ ...rest, rows: new Float32Array(rows.length) });
  const ones = rest.labels.reduce((sum, label) => sum + label, 0);
  assert.equal(steps, []);
  assert.is(bias, Math.log((ones + 0.5) / (count - ones + 0.5)));
});

test("rows outside of the lesson do not matter", () => {
  const { fit, labels, ...rest } = lesson(4);
  const half = fit.filter((row) => row < count / 2);
  const tuning = half.filter((row) => row % 5 === 0);
  const others = labels.map((label, row) => (row < count / 2 ? label : 1 - label));
  assert.equal(
    boostStumps({ ...rest, labels, fit: half, tuning }),
    boostStumps({ ...rest, labels: others, fit: half, tuning }),
  );
});

test.run();
