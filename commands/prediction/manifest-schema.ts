import { featureNames } from "../../domain/prediction/features.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";

const tensorName = { type: "string", minLength: 1, maxLength: 256 } as const;

const model = {
  type: "object",
  required: ["file", "sha256", "input", "output"],
  additionalProperties: false,
  properties: {
    // No directory, no hidden file.
    file: {
      type: "string",
      title: "file-name",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
      not: { const: "manifest.json" },
    },
    sha256: { type: "string", title: "sha-256", pattern: "^[0-9a-f]{64}$" },
    input: tensorName,
    output: tensorName,
    // Validated for each call (contract/prediction.md#tiers, contract/prediction.md#bundles).
    cutPoints: {},
  },
} as const;

const distribution = {
  type: "object",
  required: ["edges", "counts"],
  additionalProperties: false,
  properties: {
    edges: { type: "array", maxItems: 1_000, items: { type: "number" } },
    counts: { type: "array", maxItems: 1_001, items: { type: "integer", minimum: 0 } },
  },
} as const;

const training = {
  type: ["object", "null"],
  required: ["installs", "features"],
  additionalProperties: false,
  properties: {
    installs: { type: "integer", minimum: 0 },
    features: {
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(featureNames.map((name) => [name, distribution])),
    },
  },
} as const;

/** `manifest.json` of a model bundle (contract/prediction.md#bundles). */
export const manifestSchema = {
  type: "object",
  required: ["bundleId", "trainedAt", "features", "models"],
  additionalProperties: false,
  properties: {
    bundleId: { type: "string", title: "file-name", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" },
    trainedAt: {
      type: "string",
      format: "date-time",
      title: "timestamp",
      pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$",
    },
    features: { type: "array", minItems: 1, uniqueItems: true, items: { type: "string", enum: featureNames } },
    models: {
      type: "object",
      required: modelNames,
      additionalProperties: false,
      properties: { d3_purchase: model, d3_churn: model },
    },
    training,
  },
} as const;
