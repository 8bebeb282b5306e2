import { createHash } from "node:crypto";
import type { BundleRegistered, ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { logisticModel } from "./onnx-models.ts";

const features = ["click_count", "latency_s", "is_attributed"] as const;
const cutPoints = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export const sha256Of = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Two logistic models of clicks, latency and attribution. */
export const modelFiles = {
  d3_purchase: logisticModel([0.5, -0.001, 1], -2),
  d3_churn: logisticModel([-0.5, 0.001, -1], 1),
} as const satisfies { readonly [name in ModelName]: Buffer };

/** The manifest of the first bundle, as `touchledger bundle add` sends it. */
export const manifest = {
  bundleId: "spring-1",
  trainedAt: "2026-03-01T00:00:00.000Z",
  features: [...features],
  models: {
    d3_purchase: {
      file: "d3_purchase.onnx",
      sha256: sha256Of(modelFiles.d3_purchase),
      input: "features",
      output: "probability",
      cutPoints,
    },
    d3_churn: {
      file: "d3_churn.onnx",
      sha256: sha256Of(modelFiles.d3_churn),
      input: "features",
      output: "probability",
      cutPoints,
    },
  },
} as const;

/** The first bundle as the domain has it. */
export const springBundle: ModelBundle = { ...manifest, training: null };

export const springRegistered: BundleRegistered = {
  type: "BundleRegistered",
  data: { ...springBundle, contentHash: "5".repeat(64) },
};
