import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BundleNotLoaded, createScorer, type Scorer, type Scores } from "../../../infra/scoring/scorer.ts";
import { modelFiles, sha256Of, springBundle } from "../../examples/model-bundles.ts";
import {
  constantModel,
  endlessModel,
  logisticModel,
  negativeModel,
  squareRootModel,
} from "../../examples/onnx-models.ts";
import { killed, scorerProcesses } from "./scorer-processes.ts";

const width = springBundle.features.length;
const megabyte = 1024 * 1024;
/** A deadline that a busy machine keeps. */
const calm = 20_000;
const stored = new Map<string, Buffer>();
const readModelFile = async (sha256: string): Promise<Buffer> => {
  const bytes = stored.get(sha256);
  if (bytes === undefined) throw new Error(`There is no file ${sha256}`);
  return bytes;
};

/** A bundle of those two models, their files stored. */
function bundleOf(bundleId: string, purchase: Buffer, churn: Buffer) {
  for (const bytes of [purchase, churn]) stored.set(sha256Of(bytes), bytes);
  const { d3_purchase, d3_churn } = springBundle.models;
  return {
    ...springBundle,
    bundleId,
    models: {
      d3_purchase: { ...d3_purchase, sha256: sha256Of(purchase) },
      d3_churn: { ...d3_churn, sha256: sha256Of(churn) },
    },
  };
}
const spring = bundleOf("spring-1", modelFiles.d3_purchase, modelFiles.d3_churn);
const vectorOf = (seed: number): Float32Array => Float32Array.from([seed % 7, (seed * 37) % 5_000, seed % 2]);
const sigmoid = (sum: number): number => 1 / (1 + Math.exp(-sum));
const nameOf = (failure: unknown): string => (failure instanceof Error ? failure.name : String(failure));

let scorer: Scorer;
let troubles: Error[];
const scoring = suite("scoring");
scoring.before.each(() => {
  troubles = [];
  scorer = createScorer({ onTrouble: (failure) => troubles.push(failure), maxModelBytes: 16 * megabyte });
});
scoring.after.each(async () => {
  await scorer.close();
  assert.equal(scorerProcesses(), []);
});

scoring("starts no process before a bundle is loaded, and refuses bundles that are not", async () => {
  assert.is(nameOf(await scorer.score("spring-1", [vectorOf(1)], calm).catch((failure) => failure)), "BundleNotLoaded");
  assert.equal(scorerProcesses(), []);
  await scorer.load(spring, readModelFile);
  assert.is(scorerProcesses().length, 1);
});

scoring("returns both probabilities of each vector, the same bits in any batch", async () => {
  await scorer.load(spring, readModelFile);
  const alone: Scores[] = [];
  for (let seed = 0; seed < 50; seed += 1) alone.push(...(await scorer.score("spring-1", [vectorOf(seed)], calm)));
  const [clicks = 0, latency = 0, attributed = 0] = vectorOf(3);
  assert.ok(Math.abs((alone[3]?.d3_purchase ?? 0) - sigmoid(0.5 * clicks - 0.001 * latency + attributed - 2)) < 1e-6);
  assert.ok(Math.abs((alone[3]?.d3_churn ?? 0) - sigmoid(-0.5 * clicks + 0.001 * latency - attributed + 1)) < 1e-6);
  const seeds = Array.from({ length: 50 }, (_, seed) => seed);
  const together = await Promise.all(seeds.map((seed) => scorer.score("spring-1", [vectorOf(seed)], calm)));
  assert.equal(together.flat(), alone);
  assert.equal(await scorer.score("spring-1", seeds.map(vectorOf), calm), alone);
  assert.equal(await scorer.score("spring-1", [], calm), []);
});

scoring("never mixes two bundles in a result", async () => {
  const bundles = [0.1, 0.2, 0.3].map((constant, index) =>
    bundleOf(`constant-${index}`, constantModel(width, constant), constantModel(width, constant / 2)),
  );
  await Promise.all(bundles.map((bundle) => scorer.load(bundle, readModelFile)));
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, call) => scorer.score(`constant-${call % 3}`, [vectorOf(call)], calm)),
  );
  for (const [call, [scores]] of answers.entries()) {
    const constant = [0.1, 0.2, 0.3][call % 3] ?? 0;
    assert.equal(scores, { d3_purchase: Math.fround(constant), d3_churn: Math.fround(constant / 2) });
  }
});

scoring("returns 0 for -0, which a record in the log cannot have", async () => {
  await scorer.load(bundleOf("negative", negativeModel(width), negativeModel(width)), readModelFile);
  const [scores] = await scorer.score("negative", [new Float32Array(width)], calm);
  assert.equal([Object.is(scores?.d3_purchase, 0), Object.is(scores?.d3_churn, 0)], [true, true]);
});

scoring("rejects only the call whose output is not a probability", async () => {
  const bundles = [
    spring,
    bundleOf("not-a-number", modelFiles.d3_purchase, squareRootModel(width)),
    bundleOf("two", constantModel(width, 2), modelFiles.d3_churn),
  ];
  for (const bundle of bundles) await scorer.load(bundle, readModelFile);
  const outcomes = await Promise.allSettled(
    ["not-a-number", "spring-1", "two", "spring-1"].map((id) => scorer.score(id, [new Float32Array(width)], calm)),
  );
  assert.equal(
    outcomes.map((outcome) => (outcome.status === "rejected" ? nameOf(outcome.reason) : "scored")),
    ["ScoreInvalid", "scored", "ScoreInvalid", "scored"],
  );
});

scoring("continues after its process was killed, between calls and during them", async () => {
  await scorer.load(spring, readModelFile);
  const [before] = await scorer.score("spring-1", [vectorOf(1)], calm);
  await killed();
  assert.equal(await scorer.score("spring-1", [vectorOf(1)], calm), [before]);
  const calls = Array.from({ length: 100 }, () => scorer.score("spring-1", [vectorOf(1)], calm));
  await killed();
  for (const [scores] of await Promise.all(calls)) assert.equal(scores, before);
  assert.equal(
    troubles.map(({ message }) => message),
    ["The scorer ended with SIGKILL", "The scorer ended with SIGKILL"],
  );
});

scoring("ends a process whose model never returns, and serves other bundles again", async () => {
  const endless = bundleOf("endless", logisticModel([0, 0, 0], 0), endlessModel(width, { onlyAbove: 1 }));
  await scorer.load(spring, readModelFile);
  await scorer.load(endless, readModelFile);
  const failure = await scorer.score("endless", [Float32Array.from([5, 0, 0])], 300).catch((reason) => reason);
  assert.is(nameOf(failure), "ScorerUnavailable");
  assert.is((await scorer.score("spring-1", [vectorOf(1)], calm)).length, 1);
  assert.is(troubles.length, 1);
});

scoring("handles concurrent calls of more bundles than it keeps", async () => {
  const bundles = Array.from({ length: 20 }, (_, index) => ({ ...spring, bundleId: `bundle-${index}` }));
  await scorer.load(spring, readModelFile);
  const expected = await scorer.score("spring-1", [vectorOf(1)], calm);
  const scoreOf = async (bundle: typeof spring): Promise<unknown> => {
    for (;;) {
      await scorer.load(bundle, readModelFile);
      const scores = await scorer.score(bundle.bundleId, [vectorOf(1)], calm).catch((failure) => failure);
      if (!(scores instanceof BundleNotLoaded)) return scores;
    }
  };
  const answers = await Promise.all([...bundles, ...bundles].map(scoreOf));
  assert.equal(answers, Array(40).fill(expected));
});

scoring("keeps the bundles used last, up to its limit, of which each counts 1 MiB at least", async () => {
  const bundles = Array.from({ length: 17 }, (_, index) => ({ ...spring, bundleId: `bundle-${index}` }));
  for (const bundle of bundles.slice(0, 16)) await scorer.load(bundle, readModelFile);
  await scorer.score("bundle-0", [vectorOf(1)], calm);
  await scorer.load(bundles[16] ?? spring, readModelFile);
  assert.equal(await coldAmong(bundles), ["bundle-1"]);
});

scoring("counts the files of a larger bundle by their bytes", async () => {
  const bundles = Array.from({ length: 15 }, (_, index) => ({ ...spring, bundleId: `bundle-${index}` }));
  for (const bundle of bundles) await scorer.load(bundle, readModelFile);
  await scorer.load(bundleOf("large", documented(modelFiles.d3_purchase), modelFiles.d3_churn), readModelFile);
  assert.equal(await coldAmong(bundles), ["bundle-0"]);
});

/** The model with documentation of 1.5 MiB. */
function documented(model: Buffer): Buffer {
  const field = Buffer.from([0x32, 0x80, 0x80, 0x60]);
  return Buffer.concat([model, field, Buffer.alloc(1.5 * megabyte, "x")]);
}

/** The ids of the bundles that are not loaded. */
async function coldAmong(bundles: readonly { readonly bundleId: string }[]): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled(bundles.map(({ bundleId }) => scorer.score(bundleId, [vectorOf(1)], calm)));
  return bundles.flatMap(({ bundleId }, index) => (outcomes[index]?.status === "rejected" ? [bundleId] : []));
}

scoring("holds 1,024 calls and rejects further ones", async () => {
  await scorer.load(spring, readModelFile);
  const calls = Array.from({ length: 1_026 }, () => scorer.score("spring-1", [vectorOf(1)], calm));
  const outcomes = await Promise.allSettled(calls);
  const refused = outcomes.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  assert.equal(refused, [1_024, 1_025]);
  assert.is((await scorer.score("spring-1", [vectorOf(1)], calm)).length, 1);
});

scoring("scores again after more calls than one batch holds were too late", async () => {
  await scorer.load(spring, readModelFile);
  const slow = scorer.score("spring-1", Array(10_000).fill(vectorOf(1)), calm);
  const calls = Array.from({ length: 300 }, () => scorer.score("spring-1", [vectorOf(1)], 1));
  const outcomes = await Promise.allSettled(calls);
  assert.ok(outcomes.every(({ status }) => status === "rejected"));
  assert.is((await slow).length, 10_000);
  assert.is((await scorer.score("spring-1", [vectorOf(1)], calm)).length, 1);
});

scoring("fails when a model's file cannot be read or loaded", async () => {
  const unread = { ...bundleOf("unread", logisticModel([1, 2, 3], 4), modelFiles.d3_churn) };
  stored.delete(unread.models.d3_purchase.sha256);
  assert.match(await scorer.load(unread, readModelFile).catch((failure) => failure.message), /^There is no file/);
  const broken = bundleOf("broken", Buffer.from("no model"), modelFiles.d3_churn);
  assert.is(nameOf(await scorer.load(broken, readModelFile).catch((failure) => failure)), "ScorerUnavailable");
  await scorer.load(spring, readModelFile);
  assert.is((await scorer.score("spring-1", [vectorOf(1)], calm)).length, 1);
  assert.equal(troubles, []);
});

scoring.run();
