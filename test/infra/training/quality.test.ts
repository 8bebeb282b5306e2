import { suite } from "uvu";
import * as assert from "uvu/assert";
import { areaUnderCurve, logLoss, rateOf } from "../../../infra/training/quality.ts";

const test = suite("measures of predictions");

test("the area under the curve is the share of pairs in the right order, ties by half", () => {
  // Pairs of a 1 and a 0: (0.9, 0.1) (0.9, 0.4) (0.4, 0.1) are in order, (0.4, 0.4) is a tie.
  assert.is(areaUnderCurve([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1]), 3.5 / 4);
  assert.is(areaUnderCurve([0.9, 0.1], [0, 1]), 0);
  assert.is(areaUnderCurve([0.5, 0.5, 0.5], [0, 1, 0]), 0.5);
});

test("the area under the curve of a single label is not known", () => {
  assert.is(areaUnderCurve([0.1, 0.2], [1, 1]), null);
  assert.is(areaUnderCurve([], []), null);
});

test("the log loss is the mean of -ln of the probability of the outcome", () => {
  assert.is(logLoss([0.5, 0.25], [1, 0]), (Math.log(2) - Math.log(0.75)) / 2);
  assert.is(logLoss([1, 0], [1, 0]), 0);
  assert.is(logLoss([], []), null);
});

test("the log loss of an outcome with probability 0 is finite", () => {
  assert.is(logLoss([0], [1]), -Math.log(1e-7));
});

test("the rate is the share of ones", () => {
  assert.is(rateOf([1, 0, 0, 1]), 0.5);
  assert.is(rateOf([]), null);
});

test.run();
