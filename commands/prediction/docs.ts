import { data, nullable, text } from "../../infra/http/openapi/route-docs.ts";
import { bundle, bundleExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

const { bundleId } = bundleExample;
const contract = "contract/administration.md#model-bundles";

export const registerBundleDocs = {
  summary: "Register a model bundle",
  description:
    "The body is a form with three files: `manifest.json` and the two ONNX models that it names. The models are " +
    "test-run before they are stored.",
  contract,
  request: { "manifest.json": "{...}", "purchase.onnx": "(bytes)", "churn.onnx": "(bytes)" },
  responses: { 201: { schema: data({ bundle }), example: { data: { bundle: bundleExample } } } },
  problems: rejectionsOf("BUNDLE_ID_TAKEN"),
};

export const retireBundleDocs = {
  summary: "Retire a model bundle",
  description: "A retired bundle cannot be activated again. Its recorded calls can still be replayed.",
  contract,
  responses: { 204: null },
  problems: rejectionsOf("BUNDLE_NOT_FOUND", "BUNDLE_ACTIVE"),
};

const activation = {
  contract,
  request: { bundleId },
  problems: rejectionsOf("BUNDLE_NOT_FOUND", "BUNDLE_RETIRED"),
};
const activated = data({ bundleId: text, app: nullable(text) });

export const activateBundleDocs = {
  ...activation,
  summary: "Activate a model bundle for every app",
  description: "The bundle serves every app for which no other bundle is active.",
  responses: { 200: { schema: activated, example: { data: { bundleId, app: null } } } },
};

export const activateAppBundleDocs = {
  ...activation,
  summary: "Activate a model bundle for one app",
  description: "The bundle serves this app instead of the bundle that is active for every app.",
  responses: { 200: { schema: activated, example: { data: { bundleId, app: "shop" } } } },
};
