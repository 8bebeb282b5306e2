import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bundleOf, type Manifest, manifestFaults } from "../../../domain/prediction/manifest.ts";
import { manifest, springBundle } from "../../examples/model-bundles.ts";

const { d3_purchase, d3_churn } = manifest.models;
const distributed = (edges: readonly number[], counts: readonly number[]): Manifest => ({
  ...manifest,
  training: { installs: 3, features: { click_count: { edges, counts } } },
});

const rules = suite("the rules between the fields of a manifest");

rules("accept the example, which is a bundle without training", () => {
  assert.equal(manifestFaults(manifest), []);
  assert.equal(bundleOf(manifest), springBundle);
});

rules("require a separate file for each model", () => {
  const models = { d3_purchase, d3_churn: { ...d3_churn, file: d3_purchase.file } };
  assert.equal(manifestFaults({ ...manifest, models }), [{ path: ["models", "d3_churn", "file"], code: "same_file" }]);
});

rules("let distributions have ascending edges, and one count more than those", () => {
  assert.equal(manifestFaults(distributed([], [3])), []);
  assert.equal(manifestFaults(distributed([0, 1], [1, 1, 1])), []);
  const path = ["training", "features", "click_count"];
  for (const edges of [
    [1, 1],
    [2, 1],
  ]) {
    assert.equal(manifestFaults(distributed(edges, [1, 1, 1])), [
      { path: [...path, "edges"], code: "edges_not_ascending" },
    ]);
  }
  for (const counts of [
    [1, 2],
    [1, 1, 1, 0],
  ]) {
    assert.equal(manifestFaults(distributed([0, 1], counts)), [
      { path: [...path, "counts"], code: "counts_not_one_more" },
    ]);
  }
});

rules.run();
