import bowser from "bowser";
import { isbotMatch } from "isbot";
import { LRUCache } from "lru-cache";
import type { OperatingSystem } from "../../domain/touchpoints/events.ts";
import { detectOs, osOfUserAgent } from "../../domain/touchpoints/operating-system.ts";

/** What is known of a device by its user agent. */
export interface Client {
  /** As it was sent, shortened to 1,024 characters; null when none was. */
  readonly userAgent: string | null;
  readonly os: OperatingSystem | null;
  /** Null when it is unknown, or is the one that browsers claim in place of theirs. */
  readonly osVersion: string | null;
  /** Name of the known bot that it is. */
  readonly botName: string | null;
}

/** Parsing a user agent costs tens of microseconds, so what was parsed is kept. */
export type ReadUserAgent = (userAgent: string | undefined) => Client;

const longestUserAgent = 1_024;
const maxNameLength = 100;
/** As apps may send one. */
const longestVersion = 128;
const mostClients = 10_000;
const unknownClient: Client = { userAgent: null, os: null, osVersion: null, botName: null };

export function createUserAgentReader(): ReadUserAgent {
  const clients = new LRUCache<string, Client>({ max: mostClients });
  return (sent) => {
    if (sent === undefined || sent === "") return unknownClient;
    const userAgent = cut(sent, longestUserAgent);
    let client = clients.get(userAgent);
    if (client === undefined) {
      client = parse(userAgent);
      clients.set(userAgent, client);
    }
    return client;
  };
}

/** Cuts no character in two: half of one could not be stored (contract/http.md#text). */
function cut(text: string, longest: number): string {
  return text.length > longest ? text.slice(0, longest).replace(/[\ud800-\udbff]$/, "") : text;
}

/** The client with the system that its platform hint names; a version of another system is then none of its own. */
export function withPlatformHint(client: Client, platformHint: string): Client {
  const os = detectOs(client.os, platformHint);
  return os === client.os ? client : { ...client, os, osVersion: null };
}

function parse(userAgent: string): Client {
  const os = osOfUserAgent(userAgent);
  return { userAgent, os, osVersion: versionOf(userAgent, os), botName: botNameOf(userAgent) };
}

/** Null also where the parser finds an empty one, or takes the system for another. */
function versionOf(userAgent: string, os: OperatingSystem): string | null {
  if (os === "Web") return null;
  const { name, version = "" } = bowser.getParser(userAgent, true).parseOS();
  if (name !== os || version === "" || version.length > longestVersion) return null;
  return isFrozen(userAgent, version) ? null : version;
}

/**
 * Chrome says "Android 10; K" on every Android, and Safari from 26 on says iOS 18 on every newer one: no version to
 * compare with what an app says of the same device (contract/attribution.md#candidates).
 */
function isFrozen(userAgent: string, version: string): boolean {
  if (/android 10; k[;)]/i.test(userAgent)) return true;
  const safari = Number(/ version\/(\d+)/i.exec(userAgent)?.[1] ?? 0);
  return safari >= 26 && version.startsWith("18");
}

const address = /https?:[^\s;)]*|[\w.-]{1,60}@[\w.-]+/g;
const afterCompatible = /\bcompatible; ?(?!Mozilla|MSIE)([\w.!-]+(?: [\w.!-]+)*)/;
const leading = /^(?!Mozilla)[\w.!-]+(?: [\w.!-]+)*/;
const trailingVersion = /(?<=\S) v?\d[\w.]*$/;

/**
 * What a bot calls itself, without its version: what follows `compatible;`, else what it begins with unless that is
 * a browser's `Mozilla`, else the word that gave it away; the host of its address where it says no more.
 */
function botNameOf(userAgent: string): string | null {
  const match = isbotMatch(userAgent);
  if (match === null) return null;
  // An address gives many away, and is no name.
  const text = userAgent.replaceAll(address, "");
  const name = afterCompatible.exec(text)?.[1] ?? leading.exec(text)?.[0] ?? wordAround(isbotMatch(text), text);
  return cut(name?.replace(trailingVersion, "") ?? hostIn(userAgent) ?? match, maxNameLength);
}

function wordAround(match: string | null, text: string): string | null {
  if (match === null) return null;
  const at = text.indexOf(match);
  const before = /[\w.-]*$/.exec(text.slice(0, at))?.[0] ?? "";
  const after = /^[\w.-]*/.exec(text.slice(at))?.[0] ?? "";
  return before + after || null;
}

function hostIn(userAgent: string): string | null {
  return /(?:\/\/|@)([\w.-]+)/.exec(userAgent)?.[1] ?? null;
}
