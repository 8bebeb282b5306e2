import { createHash } from "node:crypto";
import type { BundleModel, ModelBundle, ModelName, TrainingSummary } from "../../domain/prediction/events.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { type AdditiveModel, boostStumps } from "./boosted-stumps.ts";
import { cutPointsOf } from "./cut-points.ts";
import { summaryOf } from "./drift.ts";
import { onnxModel, tensorNames } from "./onnx-model.ts";
import { qualityOf } from "./quality.ts";
import { findApp, readInstalls } from "./read-installs.ts";
import { htmlReport } from "./report-html.ts";
import { trainingText } from "./report-text.ts";
import { scoreRows } from "./score-rows.ts";
import { refuseTooFew } from "./training-impossible.ts";
import { columnNames, type TrainingInput, trainingInput } from "./training-input.ts";
import { effectsOf, type ModelReport, type TrainingReport } from "./training-report.ts";

/** The steps of training in their order. */
type TrainingStep = "reading the log" | "d3_purchase" | "d3_churn" | "scoring";

interface TrainingRequest {
  readonly log: Pick<EventLog, "read" | "readAll" | "headPosition">;
  /** The app's name. */
  readonly app: string;
  /** A whole number that determines which installs are held out. */
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Called with the share of a step that is done, from 0 to 1. */
  progress?(step: TrainingStep, share: number): void;
}

/** The `manifest.json` of a trained bundle (contract/prediction.md#bundles). */
type TrainedManifest = ModelBundle & {
  readonly models: { readonly [name in ModelName]: BundleModel & { readonly cutPoints: readonly number[] } };
  readonly training: TrainingSummary;
};

export interface TrainedBundle {
  readonly manifest: TrainedManifest;
  /** Bytes by file name: the manifest, both models and the report in three forms. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly report: TrainingReport;
}

/**
 * Trains both models of an app on the event log alone (contract/prediction.md#training). The same log, seed and `now` give
 * the same bytes. The models are fitted to four fifths of the installs and tested on the other fifth. Cut points are those
 * of the probabilities of all installs (contract/prediction.md#tiers), as the ONNX files compute them.
 * @throws {TrainingImpossible} when there is no such app, or it has too few installs
 */
export async function trainBundle(request: TrainingRequest): Promise<TrainedBundle> {
  const { log, seed, now, progress = () => {} } = request;
  const app = await findApp(log, request.app);
  const installs = await readInstalls(log, app, (share) => progress("reading the log", share));
  const input = trainingInput(installs, now, seed);
  refuseTooFew(app.name, input);

  const purchase = fitModel("d3_purchase", input, input.purchased, progress);
  const churn = fitModel("d3_churn", input, input.churned, progress);
  const models = { d3_purchase: purchase.entry, d3_churn: churn.entry };
  const modelFiles = new Map([purchase, churn].map(({ entry, bytes }) => [entry.sha256, bytes]));
  const scores = await scoreRows(
    { bundleId: app.name, features: columnNames, models },
    modelFiles,
    input.rows,
    (share) => progress("scoring", share),
  );
  const purchasePoints = cutPointsOf(scores.d3_purchase);
  const churnPoints = cutPointsOf(scores.d3_churn);
  const manifest = withBundleId(app.name, {
    trainedAt: new Date(now).toISOString(),
    features: columnNames,
    models: {
      d3_purchase: { ...purchase.entry, cutPoints: purchasePoints },
      d3_churn: { ...churn.entry, cutPoints: churnPoints },
    },
    training: summaryOf(input.rows, input.count),
  });
  const heldOut = input.heldOut.reduce((sum, isHeldOut) => sum + isHeldOut, 0);
  const report: TrainingReport = {
    app: app.name,
    bundleId: manifest.bundleId,
    trainedAt: manifest.trainedAt,
    seed,
    installs: {
      inLog: installs.count,
      tooYoung: input.tooYoung,
      outOfRange: input.outOfRange,
      used: input.count,
      trained: input.count - heldOut,
      heldOut,
    },
    models: {
      d3_purchase: reportOf(purchase, input, input.purchased, scores.d3_purchase, purchasePoints),
      d3_churn: reportOf(churn, input, input.churned, scores.d3_churn, churnPoints),
    },
  };
  const text = new TextEncoder();
  const files = new Map<string, Uint8Array>([
    ["manifest.json", text.encode(`${JSON.stringify(manifest, null, 2)}\n`)],
    [purchase.entry.file, purchase.bytes],
    [churn.entry.file, churn.bytes],
    ["report.txt", text.encode(trainingText(report))],
    ["report.json", text.encode(`${JSON.stringify(report, null, 2)}\n`)],
    ["report.html", text.encode(htmlReport(report))],
  ]);
  return { manifest, files, report };
}

interface FittedModel {
  readonly model: AdditiveModel;
  readonly bytes: Uint8Array;
  /** Without cut points, which need the model's probabilities. */
  readonly entry: BundleModel;
}

function fitModel(
  name: ModelName,
  { rows, count, heldOut, tuning }: TrainingInput,
  labels: Uint8Array,
  progress: (step: TrainingStep, share: number) => void,
): FittedModel {
  const width = columnNames.length;
  const all = Uint32Array.from({ length: count }, (_, row) => row);
  const model = boostStumps(
    {
      rows,
      width,
      labels,
      fit: all.filter((row) => heldOut[row] === 0),
      tuning: all.filter((row) => tuning[row] === 1),
    },
    (share) => progress(name, share),
  );
  const bytes = onnxModel(model, width);
  return { model, bytes, entry: { file: `${name}.onnx`, sha256: sha256(bytes), ...tensorNames, cutPoints: null } };
}

function reportOf(
  { model }: FittedModel,
  { rows, count, heldOut }: TrainingInput,
  labels: Uint8Array,
  probabilities: Float32Array,
  cutPoints: readonly number[],
): ModelReport {
  const exact = cutPoints.map(Math.fround);
  const isHeldOut = (_: number, row: number): boolean => heldOut[row] === 1;
  return {
    cutPoints,
    steps: model.steps.length,
    heldOut: qualityOf(probabilities.filter(isHeldOut), labels.filter(isHeldOut), exact),
    whole: qualityOf(probabilities, labels, exact),
    effects: effectsOf(model, rows, count),
  };
}

/** The manifest with an id that depends on its content. */
function withBundleId(app: string, manifest: Omit<TrainedManifest, "bundleId">): TrainedManifest {
  const hash = sha256(new TextEncoder().encode(JSON.stringify(manifest))).slice(0, 12);
  return { bundleId: `${app}-${manifest.trainedAt.slice(0, 10)}-${hash}`, ...manifest };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
