import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { featureNames } from "../../../domain/prediction/features.ts";
import type { AdditiveModel } from "../../../infra/training/boosted-stumps.ts";
import { onnxModel, tensorNames } from "../../../infra/training/onnx-model.ts";
import { scoreRows } from "../../../infra/training/score-rows.ts";
import { modelProbability } from "./model-probability.ts";

const test = suite("models as ONNX files");
const width = 3;
const tolerance = 1e-6;

async function scores(model: AdditiveModel, rows: Float32Array): Promise<readonly number[]> {
  const entry = { file: "model.onnx", sha256: "model", ...tensorNames, cutPoints: null };
  const models = { d3_purchase: entry, d3_churn: entry };
  const bundle = { bundleId: "example", features: featureNames.slice(0, width), models };
  const files = new Map([["model", onnxModel(model, width)]]);
  return [...(await scoreRows(bundle, files, rows, () => {})).d3_purchase];
}

test("a value equal to a threshold does not lie above it", async () => {
  const threshold = Math.fround(0.1);
  const model = { bias: 0, steps: [{ feature: 1, threshold, weight: Math.log(3) }] };
  const next = Math.fround(threshold + 1e-8);
  const rows = Float32Array.of(9, threshold, 9, -9, next, -9);
  const [equal = Number.NaN, above = Number.NaN] = await scores(model, rows);
  assert.is(equal, 0.5);
  assert.ok(Math.abs(above - 0.75) < tolerance, String(above));
});

test("a model without steps gives the base rate", async () => {
  const [probability = Number.NaN] = await scores({ bias: -Math.log(3), steps: [] }, new Float32Array(width));
  assert.ok(Math.abs(probability - 0.25) < tolerance, String(probability));
});

test("onnxruntime gives what the trainer computes, on thresholds as well", async () => {
  const value = fc.oneof(
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 0.5, 1, 3, 3.4e38, -3.4e38),
  );
  const step = fc.record({
    feature: fc.nat({ max: width - 1 }),
    threshold: value.map(Math.fround),
    weight: fc.double({ min: -2, max: 2, noNaN: true }),
  });
  const model = fc.record({
    bias: fc.double({ min: -3, max: 3, noNaN: true }),
    steps: fc.array(step, { maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(model, fc.array(value, { minLength: 40 * width, maxLength: 40 * width }), async (made, values) => {
      const thresholds = made.steps.slice(0, width).map(({ threshold }) => threshold);
      const onThresholds = Array.from({ length: width }, (_, index) => thresholds[index] ?? 0);
      const rows = Float32Array.from([...values, ...onThresholds]);
      const given = await scores(made, rows);
      given.forEach((probability, row) => {
        const own = modelProbability(made, rows.subarray(row * width, (row + 1) * width));
        assert.ok(Math.abs(probability - own) < tolerance, `${probability} is not ${own}`);
      });
    }),
    { numRuns: 8 },
  );
});

test.run();
