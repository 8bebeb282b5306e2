import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ModelFault } from "../../../domain/prediction/manifest.ts";
import { processIdentity } from "../../../infra/data-directory/processes.ts";
import { checkModels } from "../../../infra/scoring/check-models.ts";
import { modelFiles, springBundle } from "../../examples/model-bundles.ts";
import {
  constantModel,
  doubleModel,
  endlessModel,
  logisticModel,
  randomModel,
  squareRootModel,
  wideModel,
} from "../../examples/onnx-models.ts";
import { scorerProcesses } from "./scorer-processes.ts";

const width = springBundle.features.length;
const { d3_purchase, d3_churn } = springBundle.models;

const checking = suite("the check of a bundle's models");
checking.after.each(() => assert.equal(scorerProcesses(), []));

checking("accepts models that return a probability", async () => {
  assert.equal(await checkModels(springBundle, modelFiles), []);
  const atTheEnds = { d3_purchase: constantModel(width, 0), d3_churn: constantModel(width, 1) };
  assert.equal(await checkModels(springBundle, atTheEnds), []);
});

const faulty: readonly (readonly [Buffer, ModelFault, Buffer, ModelFault])[] = [
  [Buffer.alloc(0), "does_not_load", modelFiles.d3_churn.subarray(0, 60), "does_not_load"],
  [randomBytes(1_000), "does_not_load", wideModel(width), "output_shape"],
  [logisticModel([1, 2], 3), "input_shape", logisticModel([1, 2, 3, 4], 5), "input_shape"],
  [squareRootModel(width), "output_range", constantModel(width, 2), "output_range"],
  [randomModel(width), "output_random", randomModel(width), "output_random"],
];
checking("names the fault of each model that cannot be used", async () => {
  for (const [purchase, ofPurchase, churn, ofChurn] of faulty) {
    assert.equal(await checkModels(springBundle, { d3_purchase: purchase, d3_churn: churn }), [
      { model: "d3_purchase", fault: ofPurchase },
      { model: "d3_churn", fault: ofChurn },
    ]);
  }
  const doubles = { d3_purchase: doubleModel(width), d3_churn: constantModel(width, -0.001) };
  assert.equal(await checkModels(springBundle, doubles), [
    { model: "d3_purchase", fault: "input_type" },
    { model: "d3_purchase", fault: "output_type" },
    { model: "d3_churn", fault: "output_range" },
  ]);
});

checking("names both models, and tensors that they do not have", async () => {
  const models = {
    d3_purchase: { ...d3_purchase, input: "rows" },
    d3_churn: { ...d3_churn, output: "answer" },
  };
  assert.equal(await checkModels({ ...springBundle, models }, modelFiles), [
    { model: "d3_purchase", fault: "input_unknown" },
    { model: "d3_churn", fault: "output_unknown" },
  ]);
});

checking("gives up on a model that never returns", async () => {
  const files = { ...modelFiles, d3_purchase: endlessModel(width) };
  const limits = { modelMs: 2_500, rowMs: 200 };
  assert.equal(await checkModels(springBundle, files, limits), [{ model: "d3_purchase", fault: "takes_too_long" }]);
});

checking("refuses a model that takes too long for each row", async () => {
  const files = { ...modelFiles, d3_churn: endlessModel(width, { trips: 200_000 }) };
  assert.equal(await checkModels(springBundle, files, { modelMs: 20_000, rowMs: 10 }), [
    { model: "d3_churn", fault: "too_slow" },
  ]);
  assert.equal(await checkModels(springBundle, files, { modelMs: 20_000, rowMs: 10_000 }), []);
});

checking("ends with a program that is killed, also while a model never returns", async () => {
  const child = new URL("../../../infra/scoring/scorer-child.js", import.meta.url).pathname;
  const program = `
    const child = require("node:child_process").fork(${JSON.stringify(child)}, { serialization: "advanced", env: {} });
    const bytes = Buffer.from("${endlessModel(width).toString("base64")}", "base64");
    child.send({ id: 1, kind: "check", bytes: Buffer.from("no model"), input: "features", output: "probability", width: 3 });
    child.once("message", () => {
      child.send({ id: 2, kind: "check", bytes, input: "features", output: "probability", width: 3 });
      console.log(child.pid);
    });
  `;
  const parent = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(parent.stdout, "data");
  const pid = Number(String(printed));
  await untilBusy(pid);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  while (processIdentity(pid) !== null) await pause(20);
});

/** Until the process has computed for some time since it was first seen: it is in its model. */
async function untilBusy(pid: number): Promise<void> {
  const ticks = (): number =>
    Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[11],
    );
  const first = ticks();
  while (ticks() < first + 20) await pause(20);
}

checking.run();
