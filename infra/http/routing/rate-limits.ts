import type { Response } from "express";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { RateLimitName, RateLimits } from "../../config/rate-limits.ts";
import { type Problem, problems } from "../response/problem.ts";
import { createTokenBuckets, type Taken, type TokenBuckets } from "./token-buckets.ts";

/**
 * What a route may be limited as (contract/limits.md#rate-limits): `ingest` is one limit for `sdk` and `web` tokens and
 * another for the rest.
 */
export type RouteLimit = "link-creation" | "ingest" | "report-request" | "upload-request" | "context" | "other";

export interface RateLimiter {
  /** Takes one of a limit on behalf of `key`; those of different limits never touch each other. */
  take(limit: RateLimitName, key: string): Taken;
  /** Takes `many` in place of the one taken before: all, or none; of more than a full bucket, a full bucket. */
  exchange(limit: RateLimitName, key: string, many: number): Taken;
}

const mostTokens = 10_000;
const mostDevices = 100_000;

/**
 * Keeps the rate limits (contract/limits.md#rate-limits); null when they are off. The buckets are this process's own:
 * behind a balancer, N processes let N times as much pass, and a restart fills them.
 * @param now milliseconds, whole, never going back
 */
export function createRateLimiter(
  limits: RateLimits | "off",
  now: () => number = () => Math.floor(performance.now()),
): RateLimiter | null {
  if (limits === "off") return null;
  const buckets = new Map<RateLimitName, TokenBuckets>();
  const of = (limit: RateLimitName): TokenBuckets => {
    let ofLimit = buckets.get(limit);
    if (ofLimit === undefined) {
      ofLimit = createTokenBuckets(limits[limit], limit === "ingest-device" ? mostDevices : mostTokens, now);
      buckets.set(limit, ofLimit);
    }
    return ofLimit;
  };
  return {
    take: (limit, key) => of(limit).take(key),
    exchange: (limit, key, many) => of(limit).exchange(key, many),
  };
}

/**
 * Counts a call against its caller's limit and writes where that stands: `RateLimit-Limit`, `RateLimit-Remaining` and
 * `RateLimit-Reset`, the seconds until all of it is there again (contract/limits.md#rate-limits). The operator is one
 * caller, limited as `other` everywhere.
 * @param many what a call counts as that was counted as one already, once that is known
 * @returns the problem (429) to answer with when the limit is exceeded; null: go on
 */
export function limitCall(
  limiter: RateLimiter,
  limit: RouteLimit,
  principal: Principal,
  response: Response,
  many?: number,
): Problem | null {
  const name = principal.kind === "operator" ? "other" : limit === "ingest" ? ingestLimit(principal) : limit;
  const key = principal.kind === "operator" ? "operator" : principal.tokenId;
  const taken = many === undefined ? limiter.take(name, key) : limiter.exchange(name, key, many);
  // At once, not with the answer: failures are answered from elsewhere.
  response.setHeader("RateLimit-Limit", taken.limit);
  response.setHeader("RateLimit-Remaining", taken.remaining);
  response.setHeader("RateLimit-Reset", taken.resetSeconds);
  return taken.granted ? null : { ...problems.rateLimited, retryAfterSeconds: taken.retryAfterSeconds };
}

/**
 * Whether the device of a key may report one more event now (contract/limits.md#rate-limits);
 * null: it may always.
 */
export function deviceLimit(
  limiter: RateLimiter | null,
  principal: Principal,
): ((deviceKey: string) => boolean) | null {
  if (limiter === null || principal.kind === "operator" || !isDeviceToken(principal)) return null;
  const { tokenId } = principal;
  return (deviceKey) => limiter.take("ingest-device", `${tokenId}/${deviceKey}`).granted;
}

function ingestLimit(holder: Principal): RateLimitName {
  return isDeviceToken(holder) ? "ingest-sdk" : "ingest-api";
}

function isDeviceToken(holder: Principal): boolean {
  return holder.kind === "token" && (holder.tokenKind === "sdk" || holder.tokenKind === "web");
}
