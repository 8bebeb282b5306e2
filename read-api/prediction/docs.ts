import { featureNames } from "../../domain/prediction/features.ts";
import {
  boolean,
  type DocumentedResponse,
  data,
  instant,
  integer,
  nullable,
  number,
  object,
  oneOf,
  position,
  text,
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { bundle, bundleExample } from "../../infra/http/openapi/shared-schemas.ts";
import { listResponse } from "../listing.ts";
import { contextErrorCodes, isRetryable } from "./context-errors.ts";

const bundles = "contract/administration.md#model-bundles";
const bundleNotFound = { status: 404, code: "BUNDLE_NOT_FOUND" };

export const listBundlesDocs = {
  summary: "List the model bundles",
  description: "Returns the bundles, newest first, with the apps that each serves.",
  contract: bundles,
  responses: { 200: listResponse("bundles", bundle, bundleExample) },
};

export const bundleDocs = {
  summary: "Get a model bundle",
  description: "Returns the models and features of the bundle, and the apps that it serves.",
  contract: bundles,
  responses: { 200: { schema: data({ bundle }), example: { data: { bundle: bundleExample } } } },
  problems: [bundleNotFound],
};

const requestId = "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10";
const nullableText = nullable(text);
const tier = oneOf("low", "medium", "high");
const prediction = object({ probability: number, tier });
const predictions = object({ d3_purchase: prediction, d3_churn: prediction });
const predictionsExample = {
  d3_purchase: { probability: 0.42, tier: "medium" },
  d3_churn: { probability: 0.08, tier: "low" },
};
const lastTouchpoint = nullable(
  object({
    channel: nullableText,
    campaign: nullableText,
    adGroup: nullableText,
    adCreative: nullableText,
    term: nullableText,
  }),
);
const identifierKind = oneOf("service_generated_uuid", "partner_device_id", "service_external_user_id");
const touchpointExample = { channel: "newsletter", campaign: "january", adGroup: null, adCreative: null, term: null };

/** Errors of context calls have a shape of their own (contract/prediction.md#errors). */
const refusals: { readonly [status: number]: DocumentedResponse } = Object.fromEntries(
  [...contextErrorCodes].map(([status, codes]) => [
    status,
    {
      schema: object({ requestId: uuid, error: object({ code: oneOf(...codes), message: text, retryable: boolean }) }),
      example: {
        requestId,
        error: { code: codes[0], message: "...", retryable: codes[0] !== undefined && isRetryable(codes[0]) },
      },
      ...(status === 503 ? { headers: ["Retry-After"] as const } : {}),
    },
  ]),
);

export const contextDocs = {
  summary: "Predict purchase and churn of a user",
  description:
    "Returns the attribution of the user's install, and the probabilities of a purchase and of churn within three " +
    "days. The body has exactly one identifier of the user. The response arrives within a second.",
  contract: "contract/prediction.md#request",
  request: { partnerDeviceId: "device-1" },
  responses: {
    200: {
      schema: object({
        requestId: uuid,
        appId: integer,
        user: object({ id: text, type: identifierKind }),
        context: object({ lastTouchpoint }),
        predictions,
      }),
      example: {
        requestId,
        appId: 1,
        user: { id: "device-1", type: "partner_device_id" },
        context: { lastTouchpoint: touchpointExample },
        predictions: predictionsExample,
      },
    },
    ...refusals,
  },
};

const features = object(Object.fromEntries(featureNames.map((name) => [name, number])));
const featuresExample = Object.fromEntries(featureNames.map((name) => [name, 0]));
const call = object(
  {
    outcome: oneOf("answered", "refused"),
    requestId: uuid,
    appId: integer,
    tokenId: text,
    identifier: nullable(object({ kind: identifierKind, hash: text })),
    userId: nullableText,
    installId: nullableText,
    bundleId: nullableText,
    features: nullable(features),
    recordedAt: instant,
    position,
  },
  { code: text, lastTouchpoint, predictions },
);
const callNotFound = { status: 404, code: "CONTEXT_CALL_NOT_FOUND" };

export const contextCallDocs = {
  summary: "Get a recorded context call",
  description:
    "Returns the response of the call, and every feature that it was computed from. Identifiers are keyed hashes.",
  contract: "contract/prediction.md#recorded-calls",
  responses: {
    200: {
      schema: data({ call }),
      example: {
        data: {
          call: {
            outcome: "answered",
            requestId,
            appId: 1,
            tokenId: "0f".repeat(16),
            identifier: { kind: "partner_device_id", hash: "ab".repeat(32) },
            userId: "6f1e2a57-6b0c-8e0f-8a3d-1d7b0a6e4c22",
            installId: "0c5a7a86-5a5e-4c6f-9a43-5b9a1d3f7c01",
            bundleId: bundleExample.bundleId,
            features: featuresExample,
            lastTouchpoint: touchpointExample,
            predictions: predictionsExample,
            recordedAt: "2026-01-05T00:00:00.000Z",
            position: "12345",
          },
        },
      },
    },
  },
  problems: [callNotFound],
};

const computed = object({ features, predictions: nullable(predictions) });
const computedExample = { features: featuresExample, predictions: predictionsExample };

export const replayCallDocs = {
  summary: "Replay a recorded context call",
  description:
    "Computes the features and probabilities again from the log, and compares them with the recorded ones bit by " +
    "bit.",
  contract: "contract/prediction.md#recorded-calls",
  responses: {
    200: {
      schema: data({ bitEqual: boolean, recorded: computed, replayed: computed }),
      example: { data: { bitEqual: true, recorded: computedExample, replayed: computedExample } },
    },
  },
  problems: [callNotFound, { status: 409, code: "CONTEXT_CALL_NOT_SCORED" }],
};
