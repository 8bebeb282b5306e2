import type { RequestHandler } from "express";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { CalledIdentifier, ContextCallEvent, ContextRefused } from "../../domain/prediction/events.ts";
import { type Identifier, identifierOf } from "../../domain/prediction/identifier.ts";
import { roundedProbability } from "../../domain/prediction/probability.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { languageOf } from "../../infra/http/i18n/content-language.ts";
import { requestIdOf } from "../../infra/http/response/request-id.ts";
import { writeReply } from "../../infra/http/response/write-response.ts";
import { type RefusedCall, type Reply, type Route, reply, route } from "../../infra/http/routing/route.ts";
import { within } from "../../infra/process/time-limit.ts";
import { type ContextResult, type ContextSources, contextOf, type KnownOfRefused } from "./context-checks.ts";
import { type ContextError, type ContextErrorCode, contextFailure, errorOfRefusal } from "./context-errors.ts";
import { contextDocs } from "./docs.ts";

export const contextPath = "/entry/inference/v1/context";

/** Handles calls while the process starts: a 503 in the shape of the route's errors. */
export const contextNotServedYet: RequestHandler = (request, response) => {
  const caller = { requestId: requestIdOf(response), language: languageOf(request) };
  writeReply(request, response, contextFailure({ code: "SERVING_UNAVAILABLE" }, caller));
};

/** Bytes of a body (contract/prediction.md#checks). */
const bodyLimit = 16 * 1024;
/**
 * Milliseconds since the start of a call, without the arrival of its body, at which each step times out: the response
 * must be sent within a second (contract/prediction.md#checks).
 */
const giveUpAfter = { identifying: 850, computing: 800, recording: 950 } as const;

/** Milliseconds of waiting for the facts to have what the caller wrote; it leaves time for the steps after it. */
const maxReadWaitMs = 500;

/** The caller and the request, for the record of the call. */
interface Caller extends Omit<RefusedCall, "problem"> {
  readonly app: RegisteredApp;
  readonly principal: Extract<Principal, { readonly kind: "token" }>;
}

export interface ContextDeps extends ContextSources {
  /** Maximum concurrent calls (default 1,000). */
  readonly maxOpenCalls?: number;
  /** The hash that is recorded in place of an identifier, keyed with the app's salt. */
  hashOf(salt: RegisteredApp["salt"], kind: Identifier["kind"], identifier: string): string;
  /** Resolves once the call is on disk (contract/prediction.md#recorded-calls). */
  record(
    event: ContextCallEvent,
    caller: Pick<Caller, "principal" | "requestId" | "receivedAt" | "trace">,
  ): Promise<LogPosition>;
  /** Records a call after its response, with retries. */
  recordLater(...call: Parameters<ContextDeps["record"]>): void;
  /** Whether a failure means that a dependency is unreachable or overloaded. */
  isUnavailable(failure: unknown): boolean;
  /** Called with the failure of a call or its recording. */
  failed(failure: unknown, requestId: string): void;
  /** Called with the outcome of each call. */
  observeOutcome(code: ContextErrorCode | "OK"): void;
}

/** More concurrent calls would exceed their second. */
const defaultMaxOpenCalls = 1_000;

/**
 * `POST /entry/inference/v1/context`: the attribution of an install and two predictions for it. Every call with a known
 * token is in the log before its response, except those refused by the rate limit or the limit of concurrent calls.
 */
export function contextRoute(deps: ContextDeps): Route {
  const { maxOpenCalls = defaultMaxOpenCalls } = deps;
  let openCalls = 0;
  return route({
    method: "post",
    path: contextPath,
    crossOrigin: true,
    docs: contextDocs,
    operation: "predict_context",
    limit: "context",
    body: contextBody,
    bodyLimit,
    uniqueKeys: true,
    identifyWithinMs: giveUpAfter.identifying,
    reads: "facts",
    maxWaitMs: maxReadWaitMs,
    replyToRefused: (call) => replyToRefused(call, deps),
    handle: async (request) => {
      const { app, principal, body, requestId, receivedAt, elapsedMs, language, trace } = request;
      const identifier = identifierOf(body);
      if (app === null || principal.kind !== "token" || identifier === null) {
        throw new Error("A context call has neither an app's token nor an identifier");
      }
      const caller = { app, principal, requestId, receivedAt, elapsedMs, language, trace };
      if (openCalls >= maxOpenCalls) {
        deps.observeOutcome("SERVING_UNAVAILABLE");
        return contextFailure({ code: "SERVING_UNAVAILABLE" }, caller);
      }
      openCalls += 1;
      try {
        const findUser = findAfterOwnWrite(deps.findUser, request.untilOwnWriteSeen);
        return await respondToCall(identifier, caller, { ...deps, findUser });
      } finally {
        openCalls -= 1;
      }
    },
  });
}

/** Repeats a look-up that finds nobody once the read models have the caller's last write, which may have the user. */
function findAfterOwnWrite(
  findUser: ContextSources["findUser"],
  untilOwnWriteSeen: (() => Promise<boolean>) | null,
): ContextSources["findUser"] {
  if (untilOwnWriteSeen === null) return findUser;
  return async (app, identifier) => {
    const user = await findUser(app, identifier);
    if (user.outcome !== "unknown" && user.outcome !== "no_install") return user;
    return (await untilOwnWriteSeen()) ? findUser(app, identifier) : { outcome: "behind" };
  };
}

async function respondToCall(identifier: Identifier, caller: Caller, deps: ContextDeps): Promise<Reply> {
  const { app, requestId } = caller;
  const known: KnownOfRefused = {};
  const { kind, value } = identifier;
  const called = { kind, hash: deps.hashOf(app.salt, kind, value) };
  try {
    const outcome = await within(left(caller, "computing"), contextOf(app, identifier, deps, known));
    if (outcome.outcome === "answered") return respond(outcome.result, identifier, called, caller, deps);
    return refusal(outcome, caller, deps, { ...known, called });
  } catch (failure) {
    deps.failed(failure, requestId);
    const code = deps.isUnavailable(failure) ? "CONTEXT_UNAVAILABLE" : "INTERNAL_ERROR";
    return refusal({ code }, caller, deps, { ...known, called });
  }
}

function respond(
  result: ContextResult,
  identifier: Identifier,
  called: CalledIdentifier,
  caller: Caller,
  deps: ContextDeps,
): Promise<Reply> {
  const { app, principal, requestId } = caller;
  const { lastTouchpoint, predictions } = result;
  const data = { requestId, appId: app.appId, tokenId: principal.tokenId, identifier: called, ...result };
  const shown = ({ probability, tier }: ContextResult["predictions"]["d3_purchase"]) => ({
    probability: roundedProbability(probability),
    tier,
  });
  const body = {
    requestId,
    appId: app.appId,
    user: { id: identifier.value, type: identifier.kind },
    context: { lastTouchpoint },
    predictions: { d3_purchase: shown(predictions.d3_purchase), d3_churn: shown(predictions.d3_churn) },
  };
  return recorded({ type: "ContextAnswered", data }, "OK", caller, deps, (position) => reply(200, body, { position }));
}

/** Records a refusal with the properties known by then, and responds. */
function refusal(
  error: ContextError,
  caller: Caller,
  deps: ContextDeps,
  known: KnownOfRefused & { readonly called?: CalledIdentifier } = {},
): Promise<Reply> {
  const { app, principal, requestId } = caller;
  const { code } = error;
  const data: ContextRefused["data"] = {
    requestId,
    appId: app.appId,
    tokenId: principal.tokenId,
    code,
    identifier: known.called ?? null,
    userId: known.userId ?? null,
    installId: known.installId ?? null,
    bundleId: known.bundleId ?? null,
    features: known.features ?? null,
  };
  return recorded({ type: "ContextRefused", data }, code, caller, deps, (position) => ({
    ...contextFailure(error, caller),
    position,
  }));
}

/** Responds to a call that ended before its handler. */
async function replyToRefused(call: RefusedCall, deps: ContextDeps): Promise<Reply> {
  const { app, principal, problem } = call;
  const error = errorOfRefusal(call);
  const isCaller = app !== null && principal?.kind === "token" && error.code !== "SERVING_UNAVAILABLE";
  if (isCaller) return refusal(error, { ...call, app, principal }, deps);
  deps.observeOutcome(error.code);
  return contextFailure(error, call, problem.retryAfterSeconds);
}

/**
 * The reply after the call is in the log, else `CONTEXT_LOG_UNAVAILABLE`. In case the record still arrives, before or
 * after it, a second record has the actual response, and counts.
 */
async function recorded(
  event: ContextCallEvent,
  code: ContextErrorCode | "OK",
  caller: Caller,
  deps: ContextDeps,
  replyAt: (position: LogPosition) => Reply,
): Promise<Reply> {
  try {
    const position = await within(left(caller, "recording"), deps.record(event, caller));
    deps.observeOutcome(code);
    return replyAt(position);
  } catch (failure) {
    deps.failed(failure, caller.requestId);
    deps.observeOutcome("CONTEXT_LOG_UNAVAILABLE");
    deps.recordLater(withdrawn(event), caller);
    return contextFailure({ code: "CONTEXT_LOG_UNAVAILABLE" }, caller);
  }
}

/** The record of a call whose response was `CONTEXT_LOG_UNAVAILABLE` instead of the result. */
function withdrawn({ data }: ContextCallEvent): ContextRefused {
  const { requestId, appId, tokenId, identifier, userId, installId, bundleId, features } = data;
  const known = { identifier, userId, installId, bundleId, features };
  return { type: "ContextRefused", data: { requestId, appId, tokenId, code: "CONTEXT_LOG_UNAVAILABLE", ...known } };
}

/** Milliseconds left for a step. */
function left({ elapsedMs }: Pick<Caller, "elapsedMs">, step: keyof typeof giveUpAfter): number {
  return Math.max(0, giveUpAfter[step] - elapsedMs());
}

/** Not only white space. */
const identifier = { type: "string", minLength: 1, pattern: "\\P{White_Space}" } as const;

/** ContextRequest: exactly one identifier. */
const contextBody = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: { userId: identifier, partnerDeviceId: identifier, serviceExternalUserId: identifier },
} as const;
