import type { Knex } from "knex";
import { Counter, type Registry } from "prom-client";
import type { CommandApiDeps } from "../../commands/command-api.ts";
import { causeOf } from "../../commands/event-metadata.ts";
import { readFile } from "../../commands/file-chunks.ts";
import type { Journals } from "../../commands/journals/journal.ts";
import { createCallRecorder, createLateRecorder } from "../../commands/prediction/call-recorder.ts";
import { modelFileStream } from "../../domain/streams.ts";
import { requireCaughtUp } from "../../projections/engine/checkpoints/caught-up.ts";
import { type ContextQuery, lookUpContexts } from "../../projections/facts/app-events/context-lookup.ts";
import { identifierHash } from "../../projections/facts/app-events/device-aliases.ts";
import { featuresOfInstall } from "../../projections/facts/app-events/install-vectors.ts";
import { findCall } from "../../projections/prediction/queries.ts";
import { createReadModels, ReadModelNotReady } from "../../projections/read-models.ts";
import { isRestricted } from "../../projections/reports/masking/restricted-touchpoints.ts";
import { recordedCall } from "../../read-api/prediction/call-routes.ts";
import { findUser } from "../../read-api/prediction/find-user.ts";
import { batched, TooManyWaiting } from "../../read-api/prediction/query-batches.ts";
import type { ReadApiDeps } from "../../read-api/read-api.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { type Problem, problems } from "../http/response/problem.ts";
import { problemOfFailure } from "../http/response/problem-of-failure.ts";
import { maxWaitMs } from "../http/routing/read-your-writes.ts";
import type { Log } from "../process/log.ts";
import { checkModels } from "../scoring/check-models.ts";
import { createScoreVector, nullIfInvalid } from "../scoring/score-vector.ts";
import { createScorer } from "../scoring/scorer.ts";
import { ModelRuntimeMissing, ScorerUnavailable } from "../scoring/scorer-process.ts";
import { createServedBundles } from "../scoring/served-bundles.ts";
import { currentChannelMonths } from "./channel-months.ts";
import { type OpenReadModels, projections } from "./read-models.ts";

export interface PredictionParts extends OpenReadModels {
  readonly eventLog: EventLog;
  readonly callJournals: Journals;
  /** A pool of its own, whose statements end before a context call gives up. */
  readonly lookingUp: Knex;
  readonly registry: Registry;
  readonly log: Log;
}

/** Dependencies of the routes of context prediction. */
export type Prediction = ReadApiDeps["prediction"] & {
  readonly scoring: CommandApiDeps["scoring"];
  close(): Promise<void>;
};

/** Limits of look-ups: per statement, waiting, concurrent statements, and the minimum interval between statements. */
const lookUps = { maxBatch: 200, maxWaiting: 5_000, maxInFlight: 2, minIntervalMs: 5 };

/** The problem of a failure of context prediction; null for other failures. */
export function problemOfPredictionFailure(failure: unknown): Problem | null {
  if (failure instanceof ReadModelNotReady) return problems.readModelBehind;
  if (failure instanceof ModelRuntimeMissing) return problems.noModelRuntime;
  return failure instanceof TooManyWaiting || failure instanceof ScorerUnavailable ? problems.overloaded : null;
}

function isUnavailable(failure: unknown): boolean {
  return (problemOfPredictionFailure(failure) ?? problemOfFailure(failure)).status === 503;
}

/** Context prediction. Loads the active bundles in the background; until then responses have no prediction. */
export function openPrediction(parts: PredictionParts): Prediction {
  const { eventLog, callJournals, lookingUp, registry, log, apps, bundles, contextSwitches, projector, models } = parts;
  const calls = new Counter({
    name: "context_calls_total",
    help: "Calls of the context endpoint by outcome: OK, or the code of the error.",
    labelNames: ["code"],
    registers: [registry],
  });
  const restarts = new Counter({
    name: "scorer_restarts_total",
    help: "How often the process that models run in has ended by itself.",
    registers: [registry],
  });
  const scorer = createScorer({
    onTrouble: (failure) => {
      restarts.inc();
      log.error({ err: failure }, "the process that models run in has ended");
    },
  });
  const readModelFile = (sha256: string) => readFile(eventLog, modelFileStream(sha256), sha256);
  const findBundle = async (bundleId: string) => (await bundles.find(bundleId))?.bundle ?? null;
  const served = createServedBundles({
    active: bundles.active,
    load: (bundle) => scorer.load(bundle, readModelFile),
    failed: (failure, bundleId) => log.error({ err: failure, bundleId }, "a bundle could not be loaded; trying again"),
  });
  bundles.onChange(() => void served.follow());
  void served.follow();

  const requireFacts = requireCaughtUp(eventLog, projector.waitForPosition);
  const facts = createReadModels(lookingUp, projections);
  const live = () => facts.live("facts");
  const lookUp = batched(async (queries: readonly ContextQuery[]) => lookUpContexts(await live(), queries), lookUps);
  const computeFeatures = async (appId: number, eventId: string) => featuresOfInstall(await live(), { appId, eventId });
  const months = currentChannelMonths(live);
  const score = createScoreVector({ scorer, findBundle, readModelFile });
  const record = createCallRecorder(callJournals);
  const recordLater = createLateRecorder(record);

  return {
    scoring: { checkModels, activated: served.follow },
    bundles: {
      bundles: bundles.list,
      appName: async (appId) => (await apps.findAppById(appId))?.name ?? null,
    },
    contexts: {
      isActive: contextSwitches.isActive,
      servedBundle: served.servedBundle,
      findUser: async (app, identifier) => {
        await requireFacts();
        return findUser(app, identifier, {
          lookUp,
          computeFeatures,
          isRestricted: (touchpoint) => isRestricted(months, touchpoint),
          now: Date.now,
        });
      },
      score,
      hashOf: identifierHash,
      record: (event, caller) => record(event, causeOf(caller)),
      recordLater: (event, caller) => void recordLater(event, causeOf(caller)),
      isUnavailable,
      failed: (failure, requestId) => {
        // Under load there is one for each call: without its stack.
        const reason = failure instanceof Error ? failure.message : String(failure);
        if (isUnavailable(failure))
          log.warn({ requestId, reason }, "a context call has failed because a dependency is unavailable");
        else log.error({ err: failure, requestId }, "a context call failed");
      },
      observeOutcome: (code) => calls.inc({ code }),
    },
    contextCalls: {
      findCall: (appId, requestId) =>
        recordedCall(appId, requestId, {
          storedCall: async (...call) => findCall(await models.live("context_calls"), ...call),
          waitForHead: async () => {
            const head = await eventLog.headPosition();
            if (!(await projector.waitForPosition("facts", head, maxWaitMs))) {
              throw new ReadModelNotReady("The read models have not come to the end of the log.");
            }
          },
          read: eventLog.read,
        }),
      computeFeatures,
      findBundle,
      score: (bundleId, vector) => nullIfInvalid(score(bundleId, vector)),
    },
    close: async () => {
      served.close();
      await scorer.close();
    },
  };
}
