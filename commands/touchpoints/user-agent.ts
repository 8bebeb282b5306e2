import bowser from "bowser";
import { LRUCache } from "lru-cache";
import type { OperatingSystem } from "../../domain/touchpoints/events.ts";
import { detectOs, osOfUserAgent } from "../../domain/touchpoints/operating-system.ts";
import { truncateUserAgent } from "../../infra/http/request/header-text.ts";
import { botNameOf } from "./bot-name.ts";

/** Properties of a client, read from its user agent. */
export interface Client {
  /** As sent, truncated to 1,024 characters; null if none was sent. */
  readonly userAgent: string | null;
  readonly os: OperatingSystem | null;
  /** Null if it is unknown or a frozen one that browsers claim. */
  readonly osVersion: string | null;
  /** Name of the bot; null for none. */
  readonly botName: string | null;
}

/** Cached: parsing a user agent takes tens of microseconds. */
export type ReadUserAgent = (userAgent: string | undefined) => Client;

/** As in app events. */
const maxVersionLength = 128;
const maxClients = 10_000;
const unknownClient: Client = { userAgent: null, os: null, osVersion: null, botName: null };

export function createUserAgentReader(): ReadUserAgent {
  const clients = new LRUCache<string, Client>({ max: maxClients });
  return (sent) => {
    if (sent === undefined || sent === "") return unknownClient;
    const userAgent = truncateUserAgent(sent);
    let client = clients.get(userAgent);
    if (client === undefined) {
      client = parse(userAgent);
      clients.set(userAgent, client);
    }
    return client;
  };
}

/** Applies a platform hint; the version is dropped if the hint changes the operating system. */
export function withPlatformHint(client: Client, platformHint: string): Client {
  const os = detectOs(client.os, platformHint);
  return os === client.os ? client : { ...client, os, osVersion: null };
}

function parse(userAgent: string): Client {
  const os = osOfUserAgent(userAgent);
  return { userAgent, os, osVersion: versionOf(userAgent, os), botName: botNameOf(userAgent) };
}

/** Null if the parser finds no version, or another operating system. */
function versionOf(userAgent: string, os: OperatingSystem): string | null {
  if (os === "Web") return null;
  const { name, version = "" } = bowser.getParser(userAgent, true).parseOS();
  if (name !== os || version === "" || version.length > maxVersionLength) return null;
  return isFrozen(userAgent, version) ? null : version;
}

/**
 * Chrome claims "Android 10; K" on every Android, and Safari from 26 on claims iOS 18 on newer versions: not comparable
 * with the version that an app reports (contract/attribution.md#candidates).
 */
function isFrozen(userAgent: string, version: string): boolean {
  if (/android 10; k[;)]/i.test(userAgent)) return true;
  const safari = Number(/ version\/(\d+)/i.exec(userAgent)?.[1] ?? 0);
  return safari >= 26 && version.startsWith("18");
}
