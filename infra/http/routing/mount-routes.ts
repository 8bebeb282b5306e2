import type { Express, Request, RequestHandler, Response } from "express";
import type { SecurityLog } from "../../process/security-log.ts";
import { inRequestSpan, traceOfRequest } from "../../tracing/request-span.ts";
import { languageOf } from "../i18n/content-language.ts";
import { type BodyBudget, type BodyGate, createBodyBudget, createLargeBodyPlaces } from "../request/body-gate.ts";
import { ClientDisconnected } from "../request/read-body.ts";
import { inputReader } from "../request/request-input.ts";
import { type Problem, problems } from "../response/problem.ts";
import { problemOfFailure } from "../response/problem-of-failure.ts";
import { requestIdOf } from "../response/request-id.ts";
import { streamReply } from "../response/stream-response.ts";
import { writeProblem, writeReply } from "../response/write-response.ts";
import { checkByteLimit } from "./authorise.ts";
import { allowOrigin, preflight } from "./cross-origin.ts";
import { type Call, type CallDeps, type KnownCaller, respond } from "./handle-request.ts";
import { createUnseenWrites, maxWaitMs, type UnseenWrites, type WaitForPosition } from "./read-your-writes.ts";
import { type Reply, type Route, refuse } from "./route.ts";
import { securityEvent } from "./security-events.ts";

/** What serving routes needs from the rest of the application. */
export interface RouteDeps extends CallDeps {
  /** The problem of a known failure; null for any other. */
  problemOf?(failure: unknown): Problem | null;
  /** Called with every failure whose response is 500 or 503. */
  failed(failure: unknown, requestId: string): void;
  /** Called after every response, with the path as the route declares it. */
  observeResponse?(path: string, method: string, status: number, seconds: number): void;
  /** Called with every security event. */
  readonly secured?: SecurityLog;
}

/** What the routes of all listeners share. */
export interface SharedState {
  readonly unseenWrites: UnseenWrites;
  readonly bodies: BodyBudget;
}

export function createSharedState(waitForPosition: WaitForPosition): SharedState {
  return { unseenWrites: createUnseenWrites(waitForPosition), bodies: createBodyBudget() };
}

type ServedRouteDeps = RouteDeps & SharedState;

/**
 * Serves the routes, each in the order of contract/http.md#statuses, and 405 with `Allow` for other methods on their
 * paths. Call it once with all routes of a listener: only then are the methods of a path known.
 */
export function mountRoutes(
  app: Express,
  routes: readonly Route[],
  deps: RouteDeps,
  shared: SharedState = createSharedState(deps.waitForPosition),
): void {
  for (const route of routes) {
    const handler = serve(route, { ...deps, ...shared });
    app[route.method](route.path, (request, response) =>
      inRequestSpan(request, response, route.path, () => handler(request, response)),
    );
  }
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method.toUpperCase()));
    if (method === "get") known.add("HEAD");
  }
  for (const route of routes) {
    const allowed = [...(methods.get(route.path) ?? [])].join(", ");
    if (route.crossOrigin === true) app.options(route.path, preflight(route, allowed, deps));
  }
  for (const [path, allowed] of methods) app.all(path, notAllowed([...allowed].join(", "), path, deps));
}

function serve(route: Route, deps: ServedRouteDeps): (request: Request, response: Response) => Promise<void> {
  const readInput = inputReader(route);
  const placeOf = route.maxLargeBodies === undefined ? null : createLargeBodyPlaces(route.maxLargeBodies);
  return async (request, response) => {
    const clock = startCallClock();
    const receivedAt = new Date().toISOString();
    const caller: KnownCaller = { principal: null, app: null };
    const gateOf = (owner: number | null): BodyGate => ({
      hold: deps.bodies.open(owner, response),
      admit: (bytes) =>
        checkByteLimit(route, bytes, caller.principal, deps) ?? placeOf?.(bytes, owner, response) ?? null,
    });
    const call: Call = {
      route,
      readInput: (app) => clock.pausedDuring(() => readInput(request, gateOf(app?.appId ?? null), app, receivedAt)),
      deps,
      request,
      response,
      receivedAt,
      elapsedMs: clock.elapsedMs,
      caller,
    };
    for (const name in route.headers) response.setHeader(name, route.headers[name] ?? "");
    try {
      const reply = await replyTo(call, deps);
      await untilVisible(reply, caller, deps);
      if (route.crossOrigin === true) await allowOrigin(request, response, caller, deps);
      if (reply.kind === "streamed") await streamReply(request, response, reply);
      else writeReply(request, response, reply);
    } catch (failure) {
      if (failure instanceof ClientDisconnected) {
        response.destroy();
        return;
      }
      respondToFailure(failure, request, response, deps);
    }
    deps.observeResponse?.(route.path, request.method, response.statusCode, clock.totalMs() / 1000);
  };
}

/** Times a call: in all, and without the time that its body takes to arrive. */
function startCallClock() {
  const startedAt = performance.now();
  const totalMs = (): number => performance.now() - startedAt;
  let pausedMs = 0;
  return {
    totalMs,
    elapsedMs: (): number => totalMs() - pausedMs,
    pausedDuring: async <Result>(arrive: () => Promise<Result>): Promise<Result> => {
      const since = performance.now();
      try {
        return await arrive();
      } finally {
        pausedMs = performance.now() - since;
      }
    },
  };
}

/** The reply to a call; to one that failed or was refused, in the format of its route. Reports its security event. */
async function replyTo(call: Call, deps: ServedRouteDeps): Promise<Reply> {
  const { route, request, response, caller, receivedAt, elapsedMs } = call;
  const requestId = requestIdOf(response);
  const reply = await respond(call).catch((failure: unknown) => refuse(problemOfCall(failure, requestId, deps)));
  const event = securityEvent(route, request, caller, reply, requestId);
  if (event !== null) deps.secured?.(event);
  if (reply.kind !== "problem" || route.replyToRefused === undefined) return reply;
  const [language, trace] = [languageOf(request), traceOfRequest(request)];
  return route.replyToRefused({ problem: reply.problem, ...caller, requestId, receivedAt, elapsedMs, language, trace });
}

/** Waits until the reply's writes are visible, or notes that they are not. Never fails: they are in the log already. */
async function untilVisible(reply: Reply, { principal }: KnownCaller, deps: ServedRouteDeps): Promise<void> {
  if (reply.kind !== "ok" && reply.kind !== "stored") return;
  const { visibleIn, position } = reply;
  const group = visibleIn ?? (reply.kind === "ok" ? reply.laterVisibleIn : undefined);
  if (group === undefined || position === undefined) return;
  const isVisible =
    visibleIn !== undefined && (await deps.waitForPosition(visibleIn, position.commit, maxWaitMs).catch(() => false));
  if (!isVisible && principal !== null) deps.unseenWrites.add(principal, group, position.commit);
}

/**
 * The problem of a call that failed; reports it to `failed` when it is the server's fault.
 * @throws {ClientDisconnected} when the client is gone
 */
function problemOfCall(failure: unknown, requestId: string, deps: Pick<RouteDeps, "failed" | "problemOf">): Problem {
  if (failure instanceof ClientDisconnected) throw failure;
  const problem = deps.problemOf?.(failure) ?? problemOfFailure(failure);
  if (problem.status >= 500) deps.failed(failure, requestId);
  return problem;
}

/** Responds to a failure with 503 or 500, without revealing what it was (contract/http.md#errors). */
export function respondToFailure(
  failure: unknown,
  request: Request,
  response: Response,
  deps: Pick<RouteDeps, "failed" | "problemOf">,
): void {
  const problem = problemOfCall(failure, requestIdOf(response), deps);
  if (response.headersSent) response.destroy();
  else writeProblem(request, response, problem);
}

function notAllowed(allow: string, path: string, deps: RouteDeps): RequestHandler {
  return (request, response) => {
    writeProblem(request, response, problems.methodNotAllowed, { Allow: allow });
    deps.observeResponse?.(path, request.method, 405, 0);
  };
}
