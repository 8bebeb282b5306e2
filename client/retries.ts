import { isCertificateRefused } from "./connection-failure.ts";
import { retryAfterOf } from "./refusal.ts";

/** How a request is sent. */
export type Fetch = (request: Request) => Promise<Response>;

interface RetryOptions {
  readonly retryMs: number;
  /** Until the headers of a response, by default 30 s; reading its body may take longer. */
  readonly timeoutMs?: number;
  /** Ends every request, like the request's own. */
  readonly signal?: AbortSignal | undefined;
}

const responseTimeoutMs = 30_000;
const pauseMs = 200;

/**
 * The requests that a response stands for, as long as its body can be read: Node would collect them, and the signal of a
 * collected request no longer ends the body.
 */
const requestsOfBodies = new WeakMap<ReadableStream, readonly Request[]>();

/**
 * Retries requests for `retryMs`: all of them after 429, and safe ones also after 503 and lost connections. Safe
 * requests are reads, context calls among them, those with an `Idempotency-Key`, and ingest, whose items have ids. Waits
 * as `Retry-After` says, and gives up when that is too long, when the server's certificate is refused or `send` throws a
 * `SyntaxError`, or when a `signal` aborts.
 */
export function retryingFetch(send: Fetch, { retryMs, timeoutMs = responseTimeoutMs, signal }: RetryOptions): Fetch {
  return async (request) => {
    const ending = signal === undefined ? request.signal : AbortSignal.any([request.signal, signal]);
    const deadline = performance.now() + retryMs;
    for (;;) {
      ending.throwIfAborted();
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new DOMException("No response in time", "TimeoutError")), timeoutMs);
      const attempt = new Request(request.clone(), { signal: AbortSignal.any([ending, late.signal]) });
      const outcome = await send(attempt)
        .catch((failure: unknown) => asError(failure))
        .finally(() => clearTimeout(timer));
      const requestedMs = outcome instanceof Error ? 0 : (retryAfterOf(outcome) ?? 0) * 1_000;
      const isLast = ending.aborted || performance.now() + requestedMs >= deadline;
      if (isLast || !isWorthRetrying(request, outcome)) {
        if (outcome instanceof Error) throw outcome;
        if (outcome.body !== null) requestsOfBodies.set(outcome.body, [request, attempt]);
        return outcome;
      }
      // An unread body would keep its connection.
      if (!(outcome instanceof Error)) void outcome.body?.cancel().catch(() => {});
      await pause(Math.max(pauseMs, requestedMs), ending);
    }
  };
}

function isWorthRetrying(request: Request, outcome: Response | Error): boolean {
  if (outcome instanceof Error) return isSafe(request) && !isPermanent(outcome);
  return outcome.status === 429 || (outcome.status === 503 && isSafe(request));
}

const safePosts = /\/(events\/v1\/.*\/(app-events|app-events\/beacon|touchpoints)|entry\/inference\/v1\/context)$/;

function isSafe({ method, url, headers }: Request): boolean {
  return method === "GET" || headers.has("Idempotency-Key") || safePosts.test(new URL(url).pathname);
}

function isPermanent(failure: Error): boolean {
  return failure instanceof SyntaxError || isCertificateRefused(failure);
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure));
}

/** Waits; no longer than until `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}
