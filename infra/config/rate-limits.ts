/** A bucket of `count` tokens, refilled over `seconds`. */
export interface RateLimit {
  readonly count: number;
  readonly seconds: number;
}

/** The limits by their names in `RATE_LIMITS`, with their defaults (contract/limits.md#rate-limits). */
export const defaultRateLimits = {
  "link-creation": { count: 50, seconds: 1 },
  "ingest-api": { count: 1000, seconds: 60 },
  "ingest-sdk": { count: 1000, seconds: 1 },
  "ingest-bytes": { count: 600_000_000, seconds: 60 },
  "ingest-device": { count: 120, seconds: 60 },
  "report-request": { count: 60, seconds: 60 },
  "upload-request": { count: 60, seconds: 60 },
  context: { count: 600, seconds: 1 },
  other: { count: 100, seconds: 1 },
  anonymous: { count: 600, seconds: 60 },
} as const satisfies Record<string, RateLimit>;
export type RateLimitName = keyof typeof defaultRateLimits;
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

const secondsOfUnit: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** The largest count of a limit whose full bucket, a unit for each token and millisecond, is an exact integer. */
export function maxCountOf({ seconds }: Pick<RateLimit, "seconds">): number {
  return Math.floor(Number.MAX_SAFE_INTEGER / (seconds * 1_000));
}

/** Parses an entry of `RATE_LIMITS`, such as `context=600/s`, with any count; null when it is invalid. */
export function parseRateLimit(entry: string): (RateLimit & { readonly name: RateLimitName }) | null {
  const [, name, count, unit] = /^([a-z-]+)=([1-9]\d*)\/(s|min|h)$/.exec(entry) ?? [];
  if (name === undefined || !isRateLimitName(name) || unit === undefined) return null;
  return { name, count: Number(count), seconds: secondsOfUnit[unit] ?? 1 };
}

function isRateLimitName(name: string): name is RateLimitName {
  return Object.hasOwn(defaultRateLimits, name);
}
