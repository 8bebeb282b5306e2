import type { Request, Response } from "express";
import { LRUCache } from "lru-cache";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { RateLimit, RateLimitName, RateLimits } from "../../config/rate-limits.ts";
import { clientAddress, networkOf } from "../request/client-address.ts";
import { type Problem, problems } from "../response/problem.ts";

/** The limit of a route (contract/limits.md#rate-limits); `ingest` differs between `sdk` and `web` tokens and the rest. */
export type RouteLimit = "link-creation" | "ingest" | "report-request" | "upload-request" | "context" | "other";

export interface RateLimiter {
  /**
   * Takes tokens (default: one) from the bucket of a limit and key, all or none. More than a full bucket are taken from
   * a full one, which then owes the rest.
   */
  take(limit: RateLimitName, key: string, many?: number): Taken;
  /** Takes `many` tokens instead of the one taken before, likewise. */
  exchange(limit: RateLimitName, key: string, many: number): Taken;
}

const maxTokens = 10_000;
const maxDevices = 100_000;
const maxAddresses = 100_000;
const maxKeys: { readonly [Limit in RateLimitName]?: number } = {
  "ingest-device": maxDevices,
  anonymous: maxAddresses,
};

/**
 * The rate limits (contract/limits.md#rate-limits); null when they are off. Each process has its own buckets: N processes
 * behind a load balancer allow N times as much, and a restart fills them.
 * @param now whole milliseconds of a monotonic clock
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
      ofLimit = createTokenBuckets(limits[limit], maxKeys[limit] ?? maxTokens, now);
      buckets.set(limit, ofLimit);
    }
    return ofLimit;
  };
  return {
    take: (limit, key, many) => of(limit).take(key, many),
    exchange: (limit, key, many) => of(limit).exchange(key, many),
  };
}

/**
 * Counts a call against its caller's limit and sets `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, the
 * seconds until the bucket is full (contract/limits.md#rate-limits). The operator is one caller, with the limit `other`
 * everywhere.
 * @param many how many calls it counts as, when it has been counted as one before
 * @returns the problem (429) when the limit is exceeded, else null
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
  // Set here, not with the reply, so that responses to failures have them too.
  response.setHeader("RateLimit-Limit", taken.limit);
  response.setHeader("RateLimit-Remaining", taken.remaining);
  response.setHeader("RateLimit-Reset", taken.resetSeconds);
  return taken.granted ? null : { ...problems.rateLimited, retryAfterSeconds: taken.retryAfterSeconds };
}

/** The kinds of calls without a valid token; each has a bucket of its own per address. */
export type AnonymousCall = "token" | "link" | "metrics";

/** The budget of a client's address for one kind of call (contract/limits.md#addresses). */
export interface AddressBudget {
  /** Counts the call, before any work is done for it; the problem (429) when nothing is left, else null. */
  take(): Problem | null;
  /** Undoes the count of a call that turned out to be valid, or that failed through no fault of the client. */
  refund(): void;
}

/** @param limiter null: no limits */
export function addressBudget(limiter: RateLimiter | null, kind: AnonymousCall, request: Request): AddressBudget {
  const key = (): string => `${kind}/${networkOf(clientAddress(request))}`;
  return {
    take: () => {
      if (limiter === null) return null;
      const { granted, retryAfterSeconds } = limiter.take("anonymous", key());
      return granted ? null : { ...problems.addressLimited, retryAfterSeconds };
    },
    refund: () => {
      limiter?.exchange("anonymous", key(), 0);
    },
  };
}

/** The problem (429) when a token sends more bytes to ingest than its limit allows, else null. */
export function limitIngestBytes(limiter: RateLimiter, tokenId: string, bytes: number): Problem | null {
  const { granted, retryAfterSeconds } = limiter.take("ingest-bytes", tokenId, bytes);
  return granted ? null : { ...problems.rateLimited, retryAfterSeconds };
}

/** Whether a device may report one more event now (contract/limits.md#rate-limits); null when devices have no limit. */
export function deviceLimit(
  limiter: RateLimiter | null,
  principal: Principal,
): ((deviceKey: string) => boolean) | null {
  if (limiter === null || principal.kind === "operator" || !isDeviceToken(principal)) return null;
  const { tokenId } = principal;
  return (deviceKey) => limiter.take("ingest-device", `${tokenId}/${deviceKey}`).granted;
}

/** The limits that a caller's calls count against, by name (contract/limits.md#rate-limits); none when they are off. */
export function limitsOf(limits: RateLimits | "off", principal: Principal): { readonly [name: string]: RateLimit } {
  if (limits === "off") return {};
  const ofDevices = ["ingest-sdk", "ingest-device", "context", "ingest-bytes", "other"] as const;
  const ofServers = [
    "link-creation",
    "ingest-api",
    "ingest-bytes",
    "report-request",
    "upload-request",
    "other",
  ] as const;
  const names = principal.kind === "operator" ? (["other"] as const) : isDeviceToken(principal) ? ofDevices : ofServers;
  return Object.fromEntries(names.map((name) => [name, limits[name]]));
}

function ingestLimit(holder: Principal): RateLimitName {
  return isDeviceToken(holder) ? "ingest-sdk" : "ingest-api";
}

function isDeviceToken(holder: Principal): boolean {
  return holder.kind === "token" && (holder.tokenKind === "sdk" || holder.tokenKind === "web");
}

/** The result of taking tokens from a bucket. */
interface Taken {
  readonly granted: boolean;
  /** Tokens in a full bucket. */
  readonly limit: number;
  /** Tokens left. */
  readonly remaining: number;
  /** Until the bucket is full, rounded up. */
  readonly resetSeconds: number;
  /** Until the bucket has as many tokens as were requested, rounded up; 0 when it has them. */
  readonly retryAfterSeconds: number;
}

interface TokenBuckets {
  /** Takes tokens (default: one) from the bucket of `key`, all or none; a new bucket is full. */
  take(key: string, many?: number): Taken;
  /** Returns the token taken before and takes `many`, all or none. */
  exchange(key: string, many: number): Taken;
}

/**
 * `level` is an exact integer: a token has as many units as its limit has milliseconds, and each millisecond adds `count`.
 * It is below 0 while the bucket owes tokens.
 */
interface Bucket {
  level: number;
  at: number;
}

/**
 * Token buckets of one limit: each holds `count` tokens and is refilled evenly over `seconds`. The `maxBuckets` used last
 * are kept; the others are full, as most unused ones would be. Not rate-limiter-flexible's memory limiter: it counts in
 * fixed windows, which let twice the limit pass around their ends, and keeps an unbounded number of keys, each with a
 * timer.
 * @param now whole milliseconds of a monotonic clock
 */
export function createTokenBuckets({ count, seconds }: RateLimit, maxBuckets: number, now: () => number): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  const perToken = seconds * 1_000;
  const full = count * perToken;
  const secondsUntil = (level: number, wanted: number): number =>
    level >= wanted ? 0 : Math.ceil((wanted - level) / count / 1_000);

  function take(key: string, putBack: number, wanted: number): Taken {
    const at = now();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { level: full, at };
      buckets.set(key, bucket);
    }
    bucket.level = Math.min(full, bucket.level + (at - bucket.at) * count + putBack);
    bucket.at = at;
    const required = Math.min(full, wanted);
    const granted = bucket.level >= required;
    if (granted) bucket.level -= wanted;
    return {
      granted,
      limit: count,
      remaining: Math.max(0, Math.floor(bucket.level / perToken)),
      resetSeconds: secondsUntil(bucket.level, full),
      retryAfterSeconds: secondsUntil(bucket.level, required),
    };
  }

  return {
    take: (key, many = 1) => take(key, 0, many * perToken),
    exchange: (key, many) => take(key, perToken, many * perToken),
  };
}
