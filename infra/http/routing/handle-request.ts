import type { Request, Response } from "express";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { traceOfRequest } from "../../tracing/request-span.ts";
import { languageOf } from "../i18n/content-language.ts";
import { clientAddress } from "../request/client-address.ts";
import { truncateUserAgent } from "../request/header-text.ts";
import type { Input } from "../request/request-input.ts";
import { type Problem, problems } from "../response/problem.ts";
import { requestIdOf } from "../response/request-id.ts";
import { storableResponse } from "../response/write-response.ts";
import {
  type Authorisation,
  type AuthorisationDeps,
  authorise,
  checkManyLimit,
  checkRateLimit,
  identify,
} from "./authorise.ts";
import {
  type Claim,
  type HeldKey,
  idempotencyKeyOf,
  isStorable,
  type KeyedRequests,
  requestHash,
} from "./idempotency.ts";
import { maxWaitMs, type UnseenWrites, type WaitForPosition, waitForMinPosition } from "./read-your-writes.ts";
import { type Reply, type Route, refuse } from "./route.ts";

/** What responding to calls needs from the rest of the application. */
export interface CallDeps extends AuthorisationDeps {
  readonly waitForPosition: WaitForPosition;
  /** Requests by `Idempotency-Key` (contract/http.md#idempotency); absent: keys are ignored. */
  readonly keyed?: KeyedRequests;
}

/** The caller, null until it is identified; the app, null until it is found. */
export interface KnownCaller {
  principal: Principal | null;
  app: RegisteredApp | null;
}

/** One request on its way through its route. */
export interface Call {
  readonly route: Route;
  /** Reads the input once the caller is authorised. */
  readonly readInput: (app: RegisteredApp | null) => Promise<Input>;
  readonly deps: CallDeps & { readonly unseenWrites: UnseenWrites };
  readonly request: Request;
  readonly response: Response;
  readonly receivedAt: string;
  readonly elapsedMs: () => number;
  /** Filled in by the checks. */
  readonly caller: KnownCaller;
}

/**
 * Runs the checks of a call in their order (contract/http.md#statuses), then its handler. The token is checked again once
 * the body has arrived, which can take longer than a revocation (contract/tokens.md#operators).
 */
export async function respond(call: Call): Promise<Reply> {
  const { route, request, deps } = call;
  const identified = await identify(route, request, deps);
  if (identified.outcome === "refused") return refuse(identified.problem);
  const { principal } = identified;
  call.caller.principal = principal;
  const keyed = route.idempotent === true ? deps.keyed : undefined;
  const key = keyed === undefined ? null : idempotencyKeyOf(request);
  if (keyed !== undefined && typeof key === "string" && principal.kind === "token") {
    return keyed.withKey(principal.appId, key, (held) => respondOnce(call, principal, held));
  }
  const limited = checkRateLimit(route, principal, call.response, deps);
  if (limited !== null) return refuse(limited);
  const authorisation = await authorise(route, principal, request, deps);
  if (authorisation.outcome === "refused") return refuse(authorisation.problem);
  call.caller.app = authorisation.app;
  const input = await call.readInput(authorisation.app);
  if (input.outcome !== "valid") return refuse(input.problem);
  const still = await identify(route, request, deps);
  if (still.outcome === "refused") return refuse(still.problem);
  if (key !== null && typeof key !== "string") return refuse(key);
  const tooMany = checkManyLimit(route, input.body, principal, call.response, deps);
  if (tooMany !== null) return refuse(tooMany);
  return handle(call, authorisation, input, { commandId: requestIdOf(call.response), claimedAt: call.receivedAt });
}

/** Handles a request with a key once, and sends the stored response when it is repeated (contract/http.md#idempotency). */
async function respondOnce(call: Call, principal: Principal, key: HeldKey): Promise<Reply> {
  const { route, request, response, deps, receivedAt } = call;
  // Repeated requests are exempt from the rate limit, but the body must be read to recognise them.
  const limited = key.isAnswered ? null : checkRateLimit(route, principal, response, deps);
  if (limited !== null) return refuse(limited);
  const refuseUnrepeated = (problem: Problem): Reply =>
    refuse((key.isAnswered ? checkRateLimit(route, principal, response, deps) : null) ?? problem);
  const authorisation = await authorise(route, principal, request, deps);
  if (authorisation.outcome === "refused") return refuseUnrepeated(authorisation.problem);
  const input = await call.readInput(authorisation.app);
  if (input.outcome === "unread") return refuseUnrepeated(input.problem);
  const still = await identify(route, request, deps);
  if (still.outcome === "refused") return refuse(still.problem);
  if (!key.isAnswered && input.outcome === "valid") {
    const tooMany = checkManyLimit(route, input.body, principal, response, deps);
    if (tooMany !== null) return refuse(tooMany);
  }
  const caller = { principal, requestId: requestIdOf(response), receivedAt, trace: traceOfRequest(request) };
  const hash = requestHash(request, principal, input.content);
  const claim = await key.claim(hash, caller);
  if (claim.outcome === "refused") {
    return refuseUnrepeated(input.outcome === "refused" ? input.problem : claim.problem);
  }
  if (claim.outcome === "answered") return replayed(claim);
  const reply = input.outcome === "refused" ? refuse(input.problem) : await handle(call, authorisation, input, claim);
  const storable = storableResponse(request, response, reply);
  if (storable === null || !isStorable(storable.status)) return reply;
  const stored = await key.store(hash, storable, caller);
  const isOurs = stored.status === storable.status && stored.body === storable.body;
  return isOurs ? reply : { kind: "stored", response: stored };
}

/** The reply that repeats a stored response. It, too, waits until the writes are visible in the control group. */
function replayed({ response, position }: Extract<Claim, { outcome: "answered" }>): Reply {
  const isSuccess = response.status < 300 && position !== null;
  return { kind: "stored", response, ...(isSuccess ? { position, visibleIn: "control" } : {}) };
}

type Authorised = Extract<Authorisation, { outcome: "authorised" }>;
/** What is the same for a repeated request. */
type Repeatable = Omit<Extract<Claim, { outcome: "claimed" }>, "outcome">;
type ValidInput = Extract<Input, { outcome: "valid" }>;

async function handle(
  call: Call,
  { principal, app }: Authorised,
  input: ValidInput,
  { commandId, claimedAt: firstReceivedAt }: Repeatable,
): Promise<Reply> {
  const { route, request, response, deps, receivedAt, elapsedMs } = call;
  const behind = await waitForMinPosition(route, request, input.query, deps.waitForPosition);
  if (behind !== null) return refuse(behind);
  // As of the position that was waited for.
  const isNewer = app !== null && request.headers["x-min-position"] !== undefined;
  const currentApp = isNewer ? await deps.findAppById(app.appId) : app;
  const userAgent = request.headers["user-agent"];
  const { reads, maxWaitMs: waitMs = maxWaitMs } = route;
  const untilOwnWriteSeen = reads === undefined ? null : deps.unseenWrites.untilSeen(principal, reads, waitMs);
  const routeRequest = {
    principal,
    app: currentApp,
    params: request.params as { readonly [name: string]: string },
    // Both have passed the schemas that type them.
    query: input.query as undefined,
    body: input.body as undefined,
    requestId: requestIdOf(response),
    commandId,
    ip: clientAddress(request),
    userAgent: userAgent === undefined ? null : truncateUserAgent(userAgent),
    receivedAt,
    firstReceivedAt,
    untilOwnWriteSeen,
    elapsedMs,
    language: languageOf(request),
    trace: traceOfRequest(request),
  };
  const reply = await route.handle(routeRequest);
  if (untilOwnWriteSeen === null || reply.kind !== "problem" || !isNotFound(reply.problem)) return reply;
  // What the caller wrote last may be what is not found.
  return (await untilOwnWriteSeen()) ? route.handle(routeRequest) : refuse(problems.readModelBehind);
}

/** Whether something was not found; the detail of a tracking link says so with 400. */
function isNotFound({ status, code }: Problem): boolean {
  return status === 404 || code.endsWith("_NOT_FOUND");
}
