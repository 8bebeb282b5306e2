import Module from "node:module";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemOfPredictionFailure } from "../../../infra/composition/prediction.ts";
import { checkModels } from "../../../infra/scoring/check-models.ts";
import { createScorer } from "../../../infra/scoring/scorer.ts";
import { scoreRows } from "../../../infra/training/score-rows.ts";
import { modelFiles, springBundle } from "../../examples/model-bundles.ts";
import { scorerProcesses } from "./scorer-processes.ts";

/** Node's own look-up of CommonJS modules, which `require.resolve` asks. */
const modules = Module as unknown as { _resolveFilename(name: string, ...more: unknown[]): string };
const resolve = modules._resolveFilename;

const missing = suite("a server on which onnxruntime-node is not installed");
missing.before(() => {
  modules._resolveFilename = (name, ...more) => {
    if (name === "onnxruntime-node") throw new Error(`Cannot find module '${name}'`);
    return resolve(name, ...more);
  };
});
missing.after(() => {
  modules._resolveFilename = resolve;
});

const text = "Models cannot run: the optional package onnxruntime-node is not installed. Run npm ci, and start again.";
const problem = { status: 503, code: "SERVICE_UNAVAILABLE.model_runtime" };
const outcomeOf = async (work: Promise<unknown>): Promise<unknown> => {
  const failure = await work.catch((thrown: unknown) => thrown);
  return [(failure as Error).message, problemOfPredictionFailure(failure)];
};

missing("refuses bundles, with the reason", async () => {
  assert.equal(await outcomeOf(checkModels(springBundle, modelFiles)), [text, problem]);
});

missing("warms no bundle, and starts no process", async () => {
  const scorer = createScorer({ onTrouble: assert.unreachable });
  assert.equal(await outcomeOf(scorer.load(springBundle, async () => Buffer.alloc(0))), [text, problem]);
  assert.equal(scorerProcesses(), []);
  await scorer.close();
});

missing("trains no bundle, and starts no process", async () => {
  const none = new Map<string, Uint8Array>();
  const scored = scoreRows(springBundle, none, new Float32Array(springBundle.features.length), () => {});
  assert.equal([await outcomeOf(scored), scorerProcesses()], [[text, problem], []]);
});

missing.run();
