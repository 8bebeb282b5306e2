import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ContextAnswered, ContextRefused } from "../../../domain/prediction/events.ts";
import type { Features } from "../../../domain/prediction/features.ts";
import { contextCallRoutes, recordedCall } from "../../../read-api/prediction/call-routes.ts";
import { anInstallOf, everyFeatureBundle, someFeatures, springTouchpoint } from "../../examples/context.ts";
import { recordedAt } from "../../examples/recorded-log.ts";
import { type ServedRoutes, serveRoutes } from "../../support/served-routes.ts";

const requestId = "0195e7a0-0000-7000-8000-000000000001";
const refusedId = "0195e7a0-0000-7000-8000-000000000002";
const invalidId = "0195e7a0-0000-7000-8000-000000000003";
const failedId = "0195e7a0-0000-7000-8000-000000000004";
const call = { appId: 1, tokenId: "c".repeat(32) };
const identifier = { kind: "partner_device_id", hash: "5e".repeat(32) } as const;
const predictions = {
  d3_purchase: { probability: Math.fround(0.1235), tier: "low" },
  d3_churn: { probability: Math.fround(0.75), tier: "high" },
} as const;
const answered: ContextAnswered = {
  type: "ContextAnswered",
  data: {
    ...call,
    ...anInstallOf,
    requestId,
    identifier,
    lastTouchpoint: springTouchpoint,
    bundleId: "spring",
    features: someFeatures,
    predictions,
  },
};
const refused: ContextRefused = {
  type: "ContextRefused",
  data: {
    ...call,
    requestId: refusedId,
    code: "CONTEXT_DATA_NOT_FOUND",
    identifier,
    userId: null,
    installId: null,
    bundleId: "spring",
    features: null,
  },
};
/** The output of a model was not a probability. */
const failed: ContextRefused = {
  type: "ContextRefused",
  data: {
    ...call,
    ...anInstallOf,
    requestId: failedId,
    code: "INTERNAL_ERROR",
    identifier,
    bundleId: "spring",
    features: someFeatures,
  },
};
/** Its install cost more than a float32 holds: it was not scored. */
const tooLarge: Features = { ...someFeatures, install_value: 1e39 };
const invalid: ContextRefused = {
  type: "ContextRefused",
  data: {
    ...call,
    ...anInstallOf,
    requestId: invalidId,
    code: "CONTEXT_FEATURE_INVALID",
    identifier,
    bundleId: "spring",
    features: tooLarge,
  },
};

const calls = new Map<string, RecordedEvent<ContextAnswered | ContextRefused>>([
  [requestId, recordedAt(100n, answered)],
  [refusedId, recordedAt(200n, refused)],
  [invalidId, recordedAt(300n, invalid)],
  [failedId, recordedAt(400n, failed)],
]);
let features = someFeatures;
/** Null: the output of the model is not a probability. */
let probability: number | null = predictions.d3_purchase.probability;

const routes = suite("a recorded context call");
let server: ServedRoutes;

routes.before(async () => {
  server = await serveRoutes(
    contextCallRoutes({
      findCall: async (appId, id) => (appId === 1 ? (calls.get(id) ?? null) : null),
      computeFeatures: async () => features,
      findBundle: async (bundleId) => (bundleId === "spring" ? everyFeatureBundle : null),
      score: async () =>
        probability === null ? null : { d3_purchase: probability, d3_churn: predictions.d3_churn.probability },
    }),
  );
});
routes.after(() => server.close());
routes.before.each(() => {
  features = someFeatures;
  probability = predictions.d3_purchase.probability;
});

const path = (id: string) => `/admin/v1/apps/shop/context-calls/${id}`;
const get = (id: string) => server.call("GET", path(id), { token: "owner" });
const replay = (id: string) => server.call("POST", `${path(id)}/replay`, { token: "owner" });

const isBitEqual = async (id: string): Promise<boolean> =>
  ((await replay(id)).json as { data: { bitEqual: boolean } }).data.bitEqual;

routes("is returned as it was recorded, with its place in the log", async () => {
  const place = { recordedAt: "2026-03-31T00:00:00.000Z" };
  assert.equal((await get(requestId.toUpperCase())).json, {
    data: { call: { outcome: "answered", ...answered.data, ...place, position: "100" } },
  });
  assert.equal((await get(refusedId)).json, {
    data: { call: { outcome: "refused", ...refused.data, ...place, position: "200" } },
  });
});

routes("is 404 when it is unknown", async () => {
  for (const id of ["0195e7a0-0000-7000-8000-000000000009", "nothing"]) {
    const { status, json } = await get(id);
    assert.equal([status, (json as { code: string }).code], [404, "CONTEXT_CALL_NOT_FOUND"]);
  }
});

routes("is computed again, bit-equal", async () => {
  const computed = { features: someFeatures, predictions };
  assert.equal((await replay(requestId)).json, { data: { bitEqual: true, recorded: computed, replayed: computed } });
});

routes("is not bit-equal when one bit of one feature or probability differs", async () => {
  features = { ...someFeatures, channel_entropy: Number.MIN_VALUE };
  assert.is(await isBitEqual(requestId), false);
  features = { ...someFeatures, channel_entropy: -0 };
  assert.is(await isBitEqual(requestId), false);
  features = someFeatures;
  probability = Math.fround(predictions.d3_purchase.probability + 2 ** -24);
  assert.is(await isBitEqual(requestId), false);
});

routes("is computed again, bit-equal, when its features could not be given to a model", async () => {
  features = tooLarge;
  const computed = { features: tooLarge, predictions: null };
  assert.equal((await replay(invalidId)).json, { data: { bitEqual: true, recorded: computed, replayed: computed } });
  features = { ...tooLarge, install_value: 2e39 };
  assert.is(await isBitEqual(invalidId), false);
  features = someFeatures;
  assert.is(await isBitEqual(invalidId), false);
});

routes("is computed again, without a prediction, when the output of a model is not a probability", async () => {
  probability = null;
  const computed = { features: someFeatures, predictions: null };
  assert.equal((await replay(failedId)).json, { data: { bitEqual: true, recorded: computed, replayed: computed } });
  assert.is(await isBitEqual(requestId), false);
});

routes("cannot be replayed when it was refused before scoring", async () => {
  const { status, json } = await replay(refusedId);
  assert.equal([status, (json as { code: string }).code], [409, "CONTEXT_CALL_NOT_SCORED"]);
});

const place = { stream: "contextCalls-1_w", revision: 7n } as const;
for (const [when, places, steps, isFound] of [
  ["already", [place], ["look", "read 7 of contextCalls-1_w"], true],
  ["with the end of the log", [null, place], ["look", "wait", "look", "read 7 of contextCalls-1_w"], true],
  ["at no time", [null, null], ["look", "wait", "look"], false],
] as const) {
  routes(`is ${isFound ? "read from the log" : "unknown"} when the read models have its place ${when}`, async () => {
    const left = [...places];
    const done: string[] = [];
    const found = await recordedCall(1, requestId, {
      storedCall: async () => {
        done.push("look");
        return left.shift() ?? null;
      },
      waitForHead: async () => void done.push("wait"),
      read: async function* (stream, revision) {
        done.push(`read ${revision} of ${stream}`);
        yield recordedAt(100n, answered);
      },
    });
    assert.equal([done, found], [steps, isFound ? recordedAt(100n, answered) : null]);
  });
}

routes.run();
