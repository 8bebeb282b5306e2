import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ContextAnswered, ContextCallEvent, ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { type Features, featureNames } from "../../domain/prediction/features.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { ok, type Route, type RouteRequest, refuse, route } from "../../infra/http/routing/route.ts";
import type { StoredCall } from "../../projections/prediction/queries.ts";
import { cutPointsOf, modelInput, type Probabilities, predicted } from "./context-checks.ts";
import { contextCallDocs, replayCallDocs } from "./docs.ts";

export interface ContextCallDeps {
  /** The recorded call, however recent; null if the app has none of that request id. */
  findCall(appId: number, requestId: string): Promise<RecordedEvent<ContextCallEvent> | null>;
  /** The features of an install, computed from the facts at or below its log position. */
  computeFeatures(appId: number, installId: string): Promise<Features>;
  /** A registered bundle, retired ones included. */
  findBundle(bundleId: string): Promise<ModelBundle | null>;
  /**
   * Probabilities by a bundle's models, which are loaded from the log if needed; null if an output is not a probability.
   */
  score(bundleId: string, vector: Float32Array): Promise<Probabilities | null>;
}

const callNotFound: Problem = { status: 404, code: "CONTEXT_CALL_NOT_FOUND" };
const nothingToReplay: Problem = { status: 409, code: "CONTEXT_CALL_NOT_SCORED" };

/** The recorded or replayed results of a call. */
interface Computed {
  readonly features: Features;
  /** Null if the features are invalid for a model, its output is not a probability, or the call ended before scoring. */
  readonly predictions: ContextAnswered["data"]["predictions"] | null;
}

/** Reads and replays recorded context calls (contract/prediction.md#recorded-calls). */
export function contextCallRoutes(deps: ContextCallDeps): readonly Route[] {
  const path = "/admin/v1/apps/:app_name/context-calls/:request_id";
  const found = async ({ app, params }: Pick<RouteRequest<undefined, undefined>, "app" | "params">) => {
    const requestId = uuidOf(params.request_id ?? "");
    return app === null || requestId === null ? null : deps.findCall(app.appId, requestId);
  };
  return [
    route({
      method: "get",
      path,
      docs: contextCallDocs,
      operation: "administer_app",
      handle: async (request) => {
        const call = await found(request);
        return call === null ? refuse(callNotFound) : ok({ data: { call: described(call) } });
      },
    }),
    route({
      method: "post",
      path: `${path}/replay`,
      docs: replayCallDocs,
      operation: "administer_app",
      handle: async (request) => {
        const call = await found(request);
        if (call === null) return refuse(callNotFound);
        const { features, installId, bundleId } = call.data;
        if (features === null || installId === null || bundleId === null) return refuse(nothingToReplay);
        const recorded = { features, predictions: call.type === "ContextAnswered" ? call.data.predictions : null };
        const replayed = await replay(call.data.appId, installId, bundleId, deps);
        return ok({ data: { bitEqual: areBitEqual(recorded, replayed), recorded, replayed } });
      },
    }),
  ];
}

function described({ type, data, recordedAt, position }: RecordedEvent<ContextCallEvent>) {
  return {
    outcome: type === "ContextAnswered" ? "answered" : "refused",
    ...data,
    recordedAt: recordedAt.toISOString(),
    position: position.commit.toString(),
  };
}

async function replay(appId: number, installId: string, bundleId: string, deps: ContextCallDeps): Promise<Computed> {
  const bundle = await deps.findBundle(bundleId);
  const cutPoints = bundle === null ? null : cutPointsOf(bundle);
  if (bundle === null || cutPoints === null) throw new Error(`Bundle ${bundleId} scored a call and is not in the log`);
  const features = await deps.computeFeatures(appId, installId);
  const vector = modelInput(bundle, features);
  if (vector === null) return { features, predictions: null };
  const probabilities = await deps.score(bundleId, vector);
  return { features, predictions: probabilities === null ? null : predicted(probabilities, cutPoints) };
}

/** Whether every recorded feature and probability equals the replayed one to the last bit. */
function areBitEqual(recorded: Computed, replayed: Computed): boolean {
  const { predictions } = recorded;
  return (
    featureNames.every((name) => Object.is(recorded.features[name], replayed.features[name])) &&
    (predictions === null ||
      (["d3_purchase", "d3_churn"] satisfies ModelName[]).every(
        (name) =>
          Object.is(predictions[name].probability, replayed.predictions?.[name].probability) &&
          predictions[name].tier === replayed.predictions?.[name].tier,
      ))
  );
}

export interface RecordedCallDeps {
  /** The place of a call in the log by the read models; null: unknown. */
  storedCall(appId: number, requestId: string): Promise<StoredCall | null>;
  /** Waits until the read models have passed the current head of the log. @throws {Error} after a time limit */
  waitForHead(): Promise<void>;
  read(stream: StoredCall["stream"], fromRevision: bigint): AsyncIterable<RecordedEvent<ContextCallEvent>>;
}

/** A recorded context call, however recent; null if the app has none of that request id. */
export async function recordedCall(
  appId: number,
  requestId: string,
  { storedCall, waitForHead, read }: RecordedCallDeps,
): Promise<RecordedEvent<ContextCallEvent> | null> {
  let stored = await storedCall(appId, requestId);
  if (stored === null) {
    await waitForHead();
    stored = await storedCall(appId, requestId);
  }
  if (stored === null) return null;
  for await (const event of read(stored.stream, stored.revision)) return event;
  throw new Error(`A call is stored at ${stored.revision} of ${stored.stream}, and the log has nothing there`);
}
