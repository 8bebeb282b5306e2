// The process that models run in, isolated from the server. Plain JavaScript, so that it starts without the TypeScript
// loader.
import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

// The parent ends this process when it learns that the runtime does not load, as where its binary is of another system.
const { InferenceSession, Tensor } = await import("onnxruntime-node").catch((failure) => {
  process.on("message", () => {});
  process.send({ runtimeFailure: String(failure) });
  return new Promise(() => {});
});

const sessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  logSeverityLevel: 4,
};
const modelNames = ["d3_purchase", "d3_churn"];

/** Loaded bundles by id: `width`, the scores that are `running`, and a `{session, input, output}` for each model. */
const bundles = new Map();

// A machine that runs out of memory because of a model should end this process, not the server.
try {
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // Not Linux, or not allowed.
}
// The parent ends this process: it may still score when a terminal or a supervisor signals all processes.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => process.exit());
// A worker watches the parent, as a model that never returns blocks this thread.
const watchParent = `
  const { workerData: parent } = require("node:worker_threads");
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 500);
`;
new Worker(watchParent, { eval: true, workerData: process.ppid }).unref();

process.on("message", async ({ id, kind, ...request }) => {
  const operations = { load, drop, score, check };
  try {
    process.send({ id, result: await operations[kind](request) });
  } catch (failure) {
    process.send({ id, failure: String(failure) });
  }
});

/** Loads a bundle and runs each model once; `models` has `{bytes, input, output}` for each. */
async function load({ bundleId, width, models }) {
  const loaded = { width, running: new Set() };
  for (const name of modelNames) {
    const { bytes, input, output } = models[name];
    loaded[name] = { session: await InferenceSession.create(bytes, sessionOptions), input, output };
    await run(loaded[name], new Float32Array(width));
  }
  await drop({ bundleId });
  bundles.set(bundleId, loaded);
}

async function drop({ bundleId }) {
  const dropped = bundles.get(bundleId);
  bundles.delete(bundleId);
  // A run whose session is released would never return.
  await Promise.all(dropped?.running ?? []);
  for (const name of dropped === undefined ? [] : modelNames) await dropped[name].session.release();
}

/**
 * For each job the probabilities of its rows, those of `d3_purchase` and `d3_churn` in turn, NaN where a model failed;
 * null for a bundle that is not loaded. Every row runs by itself, so that the rest of the batch does not change a bit.
 */
function score({ jobs }) {
  return Promise.all(
    jobs.map(async ({ bundleId, rows }) => {
      const bundle = bundles.get(bundleId);
      if (bundle === undefined) return null;
      const runs = [];
      for (let at = 0; at < rows.length; at += bundle.width) {
        const row = rows.slice(at, at + bundle.width);
        for (const name of modelNames) runs.push(probability(bundle[name], row));
      }
      const over = Promise.all(runs);
      bundle.running.add(over);
      const probabilities = await over;
      bundle.running.delete(over);
      return Float32Array.from(probabilities);
    }),
  );
}

async function probability(model, row) {
  try {
    const { data } = await run(model, row);
    return data.length === 1 ? data[0] : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

async function run({ session, input, output }, row) {
  const results = await session.run({ [input]: new Tensor("float32", row, [1, row.length]) }, [output]);
  return results[output];
}

/** A slow row may be that of a busy machine: it is scored again. */
const maxTimedRuns = 3;

/** The faults of one model (`ModelFault`); empty for none. A row may take `rowMs`. */
async function check({ bytes, input, output, width, rowMs }) {
  let session;
  try {
    session = await InferenceSession.create(bytes, sessionOptions);
  } catch {
    return ["does_not_load"];
  }
  const declared = [...inputFaults(session, input, width), ...outputFaults(session, output)];
  if (declared.length > 0) return declared;
  try {
    const { type, data } = await run({ session, input, output }, new Float32Array(width));
    if (type !== "float32") return ["output_type"];
    if (data.length !== 1) return ["output_shape"];
    if (!(data[0] >= 0 && data[0] <= 1)) return ["output_range"];
    for (let runs = 0; runs < maxTimedRuns; runs += 1) {
      const since = performance.now();
      const again = await run({ session, input, output }, new Float32Array(width));
      if (!Object.is(again.data[0], data[0])) return ["output_random"];
      if (performance.now() - since <= rowMs) return [];
    }
    return ["too_slow"];
  } catch {
    return ["run_fails"];
  }
}

function inputFaults({ inputMetadata }, name, width) {
  const input = inputMetadata.find((one) => one.name === name);
  if (input === undefined) return ["input_unknown"];
  if (!input.isTensor || input.type !== "float32") return ["input_type"];
  const [rows, columns] = input.shape;
  // A dynamic dimension is a string: its name, or empty.
  const takesOneRow = typeof rows === "string" || rows === 1;
  return input.shape.length === 2 && takesOneRow && columns === width ? [] : ["input_shape"];
}

function outputFaults({ outputMetadata }, name) {
  const output = outputMetadata.find((one) => one.name === name);
  if (output === undefined) return ["output_unknown"];
  return output.isTensor && output.type === "float32" ? [] : ["output_type"];
}
