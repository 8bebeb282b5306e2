import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { CalledIdentifier, ContextCallEvent, ContextRefused } from "../../domain/prediction/events.ts";
import { type Identifier, identifierOf } from "../../domain/prediction/identifier.ts";
import { roundedProbability } from "../../domain/prediction/probability.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import type { Language } from "../../domain/values/language.ts";
import { within } from "../../infra/http/request/time-limit.ts";
import { type RefusedCall, type Reply, type Route, reply, route } from "../../infra/http/routing/route.ts";
import { type ContextOutcome, type ContextSources, contextOf, type KnownOfRefused } from "./context-call.ts";
import { type ContextErrorCode, codeOfRefusal, contextFailure } from "./context-errors.ts";
import { contextBody } from "./schemas.ts";

export const contextPath = "/entry/inference/v1/context";

/** Bytes of a body (contract/prediction.md#checks). */
const bodyLimit = 16 * 1024;
/**
 * Milliseconds of a call's time here, its body's arrival apart, at which each step gives up: it is answered within a
 * second (contract/prediction.md#checks).
 */
const giveUpAfter = { identifying: 850, answering: 800, recording: 950 } as const;

/** Who called: what the record of a call says of it. */
interface Caller {
  readonly app: RegisteredApp;
  readonly principal: Extract<Principal, { readonly kind: "token" }>;
  readonly requestId: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  elapsedMs(): number;
  readonly language: Language;
}

export interface ContextDeps extends ContextSources {
  /** Calls that are worked on at the same time (default 1,000). */
  readonly maxOpenCalls?: number;
  /** What is kept of an identifier in place of it: a hash that only the app's salt can make. */
  hashOf(salt: RegisteredApp["salt"], kind: Identifier["kind"], identifier: string): string;
  /** Resolves once the call is on disk (contract/prediction.md#recorded-calls). */
  record(event: ContextCallEvent, caller: Pick<Caller, "principal" | "requestId" | "receivedAt">): Promise<LogPosition>;
  /** Whether a failure says that something cannot be reached, or has too much to do, now. */
  isUnavailable(failure: unknown): boolean;
  /** Called with what kept a call from being answered or recorded. */
  failed(failure: unknown, requestId: string): void;
  /** Called with how each call was answered. */
  answered(code: ContextErrorCode | "OK"): void;
}

/** More calls at the same time would not be answered within their second. */
const defaultMaxOpenCalls = 1_000;

/**
 * `POST /entry/inference/v1/context`. Answers the attribution of an install and two predictions for it. No call whose
 * token is known is answered before it is in the log, refusals included; those refused for their token, their rate or
 * because too many are open are not recorded.
 */
export function contextRoute(deps: ContextDeps): Route {
  const { maxOpenCalls = defaultMaxOpenCalls } = deps;
  let openCalls = 0;
  return route({
    method: "post",
    path: contextPath,
    operation: "predict_context",
    limit: "context",
    body: contextBody,
    bodyLimit,
    uniqueKeys: true,
    identifyWithinMs: giveUpAfter.identifying,
    answerRefused: (call) => answerRefused(call, deps),
    handle: async ({ app, principal, body, requestId, receivedAt, elapsedMs, language }) => {
      const identifier = identifierOf(body);
      if (app === null || principal.kind !== "token" || identifier === null) {
        throw new Error("A context call reached its handler without an app's token or an identifier");
      }
      const caller = { app, principal, requestId, receivedAt, elapsedMs, language };
      if (openCalls >= maxOpenCalls) {
        deps.answered("SERVING_UNAVAILABLE");
        return contextFailure("SERVING_UNAVAILABLE", caller);
      }
      openCalls += 1;
      try {
        return await answerCall(identifier, caller, deps);
      } finally {
        openCalls -= 1;
      }
    },
  });
}

async function answerCall(identifier: Identifier, caller: Caller, deps: ContextDeps): Promise<Reply> {
  const { app, requestId } = caller;
  const known: KnownOfRefused = {};
  const { kind, value } = identifier;
  const called = { kind, hash: deps.hashOf(app.salt, kind, value) };
  try {
    const outcome = await within(left(caller, "answering"), contextOf(app, identifier, deps, known));
    if (outcome.outcome === "answered") return answer(outcome.answer, identifier, called, caller, deps);
    return refusal(outcome.code, caller, deps, { ...known, called });
  } catch (failure) {
    deps.failed(failure, requestId);
    const code = deps.isUnavailable(failure) ? "CONTEXT_UNAVAILABLE" : "INTERNAL_ERROR";
    return refusal(code, caller, deps, { ...known, called });
  }
}

type Answer = Extract<ContextOutcome, { readonly outcome: "answered" }>["answer"];

function answer(
  given: Answer,
  identifier: Identifier,
  called: CalledIdentifier,
  caller: Caller,
  deps: ContextDeps,
): Promise<Reply> {
  const { app, principal, requestId } = caller;
  const { lastTouchpoint, predictions } = given;
  const data = { requestId, appId: app.appId, tokenId: principal.tokenId, identifier: called, ...given };
  const shown = ({ probability, tier }: Answer["predictions"]["d3_purchase"]) => ({
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

/** A refusal, once it is recorded with what was known by then. */
function refusal(
  code: ContextErrorCode,
  caller: Caller,
  deps: ContextDeps,
  known: KnownOfRefused & { readonly called?: CalledIdentifier } = {},
): Promise<Reply> {
  const { app, principal, requestId } = caller;
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
    ...contextFailure(code, caller),
    position,
  }));
}

/** Answers a call that ended before its handler. */
async function answerRefused(call: RefusedCall, deps: ContextDeps): Promise<Reply> {
  const { app, principal, problem } = call;
  const code = codeOfRefusal(call);
  const isCaller = app !== null && principal?.kind === "token" && code !== "SERVING_UNAVAILABLE";
  if (isCaller) return refusal(code, { ...call, app, principal }, deps);
  deps.answered(code);
  return contextFailure(code, call, problem.retryAfterSeconds);
}

/**
 * The reply, once the call is in the log; without that, `CONTEXT_LOG_UNAVAILABLE` and nothing else. A record that comes
 * too late is followed by one of what was answered, which is the one that counts.
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
    deps.answered(code);
    return replyAt(position);
  } catch (failure) {
    deps.failed(failure, caller.requestId);
    deps.answered("CONTEXT_LOG_UNAVAILABLE");
    deps.record(withdrawn(event), caller).catch(() => {});
    return contextFailure("CONTEXT_LOG_UNAVAILABLE", caller);
  }
}

/** The record of a call that was answered `CONTEXT_LOG_UNAVAILABLE` in place of what had been found. */
function withdrawn({ data }: ContextCallEvent): ContextRefused {
  const { requestId, appId, tokenId, identifier, userId, installId, bundleId, features } = data;
  const known = { identifier, userId, installId, bundleId, features };
  return { type: "ContextRefused", data: { requestId, appId, tokenId, code: "CONTEXT_LOG_UNAVAILABLE", ...known } };
}

/** Milliseconds that a step has left. */
function left({ elapsedMs }: Pick<Caller, "elapsedMs">, step: keyof typeof giveUpAfter): number {
  return Math.max(0, giveUpAfter[step] - elapsedMs());
}
