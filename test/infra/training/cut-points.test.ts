import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { validCutPoints } from "../../../domain/prediction/probability.ts";
import { cutPointsOf, decilesOf, shortestFloat32 } from "../../../infra/training/cut-points.ts";

const test = suite("cut points of trained models");

test("deciles are values that occur, by nearest rank", () => {
  const values = Float32Array.from({ length: 11 }, (_, index) => 10 - index);
  // The k-th decile of 11 values is number ceil(1.1 k) of them: 2, 3, 4, 5, 6, 7, 8, 9, 10.
  assert.equal(decilesOf(values), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(decilesOf(Float32Array.of(7)), new Array(9).fill(7));
});

test("cut points are the shortest decimals of the float32 that the model gave", () => {
  assert.equal(cutPointsOf(Float32Array.of(0.1)), new Array(9).fill(0.1));
  assert.is(shortestFloat32(Math.fround(0.30000001192092896)), 0.3);
});

test("of whatever probabilities, cut points are valid and read back as themselves", () => {
  const probability = fc.float({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(probability, { minLength: 1, maxLength: 50 }), (probabilities) => {
      const values = Float32Array.from(probabilities);
      assert.equal(validCutPoints(JSON.parse(JSON.stringify(cutPointsOf(values)))), decilesOf(values).map(Math.abs));
    }),
  );
});

test.run();
