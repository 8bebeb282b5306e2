import { LRUCache } from "lru-cache";
import type { RateLimit } from "../../config/rate-limits.ts";

/** What came of asking a bucket for one, or for more. */
export interface Taken {
  readonly granted: boolean;
  /** How many a full bucket holds. */
  readonly limit: number;
  /** How many are left now. */
  readonly remaining: number;
  /** Until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Until there is as much to take as was asked for, rounded up; 0: there is now. */
  readonly retryAfterSeconds: number;
}

export interface TokenBuckets {
  /** Takes one out of the bucket of `key`; a bucket that was never asked before is full. */
  take(key: string): Taken;
  /**
   * Puts the one back that was taken before and takes `many`, a full bucket at most: all of them, or none when not all
   * are there.
   */
  exchange(key: string, many: number): Taken;
}

/** `level` is exact: in parts of which a token has as many as its limit has milliseconds, and a millisecond brings `count`. */
interface Bucket {
  level: number;
  at: number;
}

// Not rate-limiter-flexible's memory limiter: it counts in fixed windows, so that twice the limit passes around the end
// of one and nothing comes back before it; it keeps every key with a timer of its own, as many as come, and answers by
// promise.
/**
 * Token buckets of one limit: each holds `count` and is refilled evenly over `seconds`. The `most` that were used last
 * are kept; one that is forgotten is full when it is asked again, as most unused ones are.
 * @param now milliseconds, whole, never going back
 */
export function createTokenBuckets({ count, seconds }: RateLimit, most: number, now: () => number): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: most });
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
    const granted = bucket.level >= wanted;
    if (granted) bucket.level -= wanted;
    return {
      granted,
      limit: count,
      remaining: Math.floor(bucket.level / perToken),
      resetSeconds: secondsUntil(bucket.level, full),
      retryAfterSeconds: secondsUntil(bucket.level, wanted),
    };
  }

  return {
    take: (key) => take(key, 0, perToken),
    exchange: (key, many) => take(key, perToken, Math.min(full, many * perToken)),
  };
}
