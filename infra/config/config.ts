import { isIP } from "node:net";
import { resolve } from "node:path";
import { parsedUrl } from "../../domain/values/url.ts";
import { type Environment, type EnvironmentReader, environmentReader, type Misspelt } from "./environment-reader.ts";
import { hidingPath } from "./public-urls.ts";
import {
  defaultRateLimits,
  maxCountOf,
  parseRateLimit,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from "./rate-limits.ts";

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

const roles = ["api", "worker", "event-store"] as const;
export type Role = (typeof roles)[number];

/** The validated settings of the environment. Null: not set. */
export interface Config {
  /** Address to listen on; null: every interface. */
  readonly host: string | null;
  /** 0: any free port. */
  readonly port: number;
  /** Port of the listener for operations, 0: any free port; null: the main listener serves them. */
  readonly operationsPort: number | null;
  /** Normalised by {@link publicAddress}, as is `linkBaseUrl`; null: see {@link publicUrls}. */
  readonly baseUrl: string | null;
  readonly linkBaseUrl: string | null;
  /** Absolute path. */
  readonly dataDirectory: string;
  /** Connection string of an EventStoreDB or KurrentDB; null: the embedded event store. */
  readonly eventStoreUrl: string | null;
  /** Prefix of the names of this instance's streams in the event store; `""`: none. */
  readonly eventStreamPrefix: string;
  /** Lag, in milliseconds, of reads of the embedded event store that do not require the leader; 0 except in tests. */
  readonly followerLagMs: number;
  /** Connection string of a Postgres; null: the embedded one. */
  readonly databaseUrl: string | null;
  /** Null only outside production, where the data directory has one. */
  readonly adminToken: string | null;
  /** Null only outside production, where the data directory has one. */
  readonly urlSigningKey: string | null;
  readonly roles: ReadonlySet<Role>;
  /** Addresses and CIDR ranges whose `X-Forwarded-*` headers are used. */
  readonly trustedProxies: readonly string[];
  /** Maximum bytes of spooled clicks. */
  readonly spoolLimitBytes: number;
  /** Free disk space, in bytes, below which the embedded event store and the spool refuse writes. */
  readonly diskReserveBytes: number;
  readonly rateLimits: RateLimits | "off";
  /** Whether webhooks may call private, loopback and link-local addresses, and plain HTTP. */
  readonly webhookPrivateNetworks: boolean;
  readonly logLevel: LogLevel;
  /** Other variables that are set, and probably are misspelt ones. */
  readonly misspelt: readonly Misspelt[];
}

/** The environment is invalid. `faults` has one sentence for each fault. */
export class ConfigurationInvalid extends Error {
  override readonly name = "ConfigurationInvalid";
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

const defaultPort = 8080;
const defaultSpoolMegabytes = 256;
const defaultReserveMegabytes = 64;
const megabyte = 1024 * 1024;
const maxPrefixLength: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

export const eventStoreSchemes = ["esdb", "esdb+discover", "kurrentdb", "kurrentdb+discover"] as const;

export const streamPrefixRule = "at most 40 letters, digits, _ and . only";

/** Whether a text can prefix stream names. It must not contain a hyphen, as the first one ends a stream's category. */
export function isStreamPrefix(text: string): boolean {
  return /^[A-Za-z0-9_.]{0,40}$/.test(text);
}

/**
 * The configuration in `env`, with defaults. An empty variable counts as not set.
 * @throws {ConfigurationInvalid} with every fault
 */
export function readConfig(env: Environment): Config {
  const reader = environmentReader(env);
  const { fault, text, secret, connection, address, wholeNumber, oneOf } = reader;
  const production = text("NODE_ENV") === "production";
  const config: Config = {
    host: text("HOST"),
    port: wholeNumber("PORT", 0, 65_535, defaultPort),
    operationsPort: wholeNumber("OPERATIONS_PORT", 0, 65_535, null),
    baseUrl: address("BASE_URL"),
    linkBaseUrl: address("LINK_BASE_URL"),
    dataDirectory: resolve(text("DATA_DIR") ?? "data"),
    eventStoreUrl: connection("EVENTSTORE_URL", eventStoreSchemes),
    eventStreamPrefix: streamPrefix(reader),
    followerLagMs: wholeNumber("FOLLOWER_LAG_MS", 0, 10_000, 0),
    databaseUrl: connection("DATABASE_URL", ["postgres", "postgresql"]),
    adminToken: secret("ADMIN_TOKEN", production),
    urlSigningKey: secret("URL_SIGNING_KEY", production),
    roles: chosenRoles(reader),
    trustedProxies: trustedProxies(reader),
    spoolLimitBytes: wholeNumber("SPOOL_LIMIT_MB", 1, 999_999, defaultSpoolMegabytes) * megabyte,
    diskReserveBytes: wholeNumber("DISK_RESERVE_MB", 0, 999_999, defaultReserveMegabytes) * megabyte,
    rateLimits: rateLimits(reader),
    webhookPrivateNetworks: oneOf("WEBHOOK_PRIVATE_NETWORKS", ["true", "false"], "false") === "true",
    logLevel: oneOf("LOG_LEVEL", logLevels, "info"),
    // After everything is read.
    misspelt: reader.misspelt(),
  };
  if (config.roles.size === 1 && config.roles.has("event-store")) {
    fault("ROLES cannot be event-store alone: `touchledger event-store` runs the event store of a DATA_DIR.");
  }
  if (text("EVENTSTORE_URL") === null && !config.roles.has("event-store")) {
    fault("EVENTSTORE_URL is required when ROLES leaves out event-store: there is no other event store.");
  }
  if (text("DATABASE_URL") === null && config.roles.size === 1 && !config.roles.has("event-store")) {
    fault("DATABASE_URL is required when ROLES is api or worker alone: both use one database.");
  }
  if (config.operationsPort === config.port && config.port !== 0) {
    fault(`OPERATIONS_PORT must be another port than PORT; both are ${config.port}.`);
  }
  const urls = publicUrls(config, config.port);
  const hiding = hidingPath(urls.baseUrl, urls.linkBaseUrl);
  if (hiding !== null) {
    fault(
      `LINK_BASE_URL must have a path of its own, such as /l, or a host of its own: links at ${hiding} would hide the API.`,
    );
  }
  if (reader.faults.length > 0) throw new ConfigurationInvalid(reader.faults);
  return config;
}

function chosenRoles({ text, fault }: EnvironmentReader): ReadonlySet<Role> {
  const chosen = text("ROLES") ?? "all";
  if (chosen === "all") return new Set(roles);
  const unknown = listed(chosen).filter((name) => !roles.some((role) => role === name));
  if (unknown.length > 0 || listed(chosen).length === 0) {
    fault(`ROLES must be "all" or a list of ${roles.join(", ")}; it is "${chosen}".`);
    return new Set(roles);
  }
  return new Set(roles.filter((role) => listed(chosen).includes(role)));
}

function trustedProxies({ text, fault }: EnvironmentReader): readonly string[] {
  const proxies = listed(text("TRUSTED_PROXIES") ?? "");
  const unusable = proxies.filter((proxy) => !isAddressOrRange(proxy));
  if (unusable.length > 0) {
    fault(`TRUSTED_PROXIES must be a list of IP addresses or ranges like 10.0.0.0/8; it has ${quoted(unusable)}.`);
  }
  return proxies;
}

function streamPrefix({ text, fault }: EnvironmentReader): string {
  const prefix = text("EVENT_STREAM_PREFIX") ?? "";
  if (isStreamPrefix(prefix)) return prefix;
  fault(`EVENT_STREAM_PREFIX may hold ${streamPrefixRule}; it is "${prefix}".`);
  return "";
}

function rateLimits({ text, fault }: EnvironmentReader): RateLimits | "off" {
  const limited = text("RATE_LIMITS") ?? "on";
  if (limited === "off") return "off";
  const limits: Record<RateLimitName, RateLimit> = { ...defaultRateLimits };
  for (const entry of limited === "on" ? [] : listed(limited)) {
    const limit = parseRateLimit(entry);
    if (limit === null) {
      fault(
        `RATE_LIMITS must be "on", "off" or a list like context=600/s,ingest-api=1000/min with the names ` +
          `${Object.keys(defaultRateLimits).join(", ")}; it has "${entry}".`,
      );
    } else if (limit.count > maxCountOf(limit)) {
      fault(`RATE_LIMITS may have a count of at most ${maxCountOf(limit)} in "${entry}".`);
    } else limits[limit.name] = { count: limit.count, seconds: limit.seconds };
  }
  return limits;
}

/** The configuration of commands that only call the API of an instance. Null: not set. */
export interface ClientConfig {
  /** Absolute path. */
  readonly dataDirectory: string;
  /** An app's token. */
  readonly token: string | null;
  /** An operator's token, of a local or remote instance. */
  readonly adminToken: string | null;
}

/** The configuration in `env`; faults in other variables do not matter to a client. */
export function readClientConfig(env: Environment): ClientConfig {
  return {
    dataDirectory: resolve(env.DATA_DIR?.trim() || "data"),
    token: env.TOUCHLEDGER_TOKEN?.trim() || null,
    adminToken: env.ADMIN_TOKEN?.trim() || null,
  };
}

type Addresses = Pick<Config, "host" | "baseUrl" | "linkBaseUrl">;

/** The addresses of a server that listens on `port`: the configured ones, else local ones (contract/http.md#hosts). */
export function publicUrls(
  config: Addresses,
  port: number,
): { readonly baseUrl: string; readonly linkBaseUrl: string } {
  const baseUrl = config.baseUrl ?? localUrl(config, port);
  return { baseUrl, linkBaseUrl: config.linkBaseUrl ?? `${baseUrl}/l` };
}

/**
 * The address at which commands of this machine reach the API on `port`: the local one, as the public one may be that
 * of a proxy; the public one if the local host serves links alone.
 */
export function apiUrl(config: Addresses, port: number): string {
  const { baseUrl, linkBaseUrl } = publicUrls(config, port);
  const local = localUrl(config, port);
  return new URL(linkBaseUrl).host === new URL(local).host ? baseUrl : local;
}

/** The address at which a process of this machine reaches a listener of its own on `port`. */
export function localUrl({ host }: Pick<Config, "host">, port: number): string {
  const isEvery = host === null || host === "0.0.0.0" || host === "::";
  const url = `http://${isEvery ? "localhost" : isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  // A URL has no IPv6 zones.
  return parsedUrl(url) === null ? `http://localhost:${port}` : url;
}

function listed(text: string): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function quoted(entries: readonly string[]): string {
  return entries.map((entry) => `"${entry}"`).join(", ");
}

/** Express refuses a range with a prefix of 0. */
function isAddressOrRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const maxLength = maxPrefixLength[isIP(address)];
  if (maxLength === undefined || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= maxLength);
}
