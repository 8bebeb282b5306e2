import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { certificateOf, certifications } from "../../domain/channels/certifications.ts";

import { channelCertificationsStream, tokenStream } from "../../domain/streams.ts";

import type { Principal } from "../../domain/tokens/principal.ts";
import { token } from "../../domain/tokens/token.ts";
import { isChannelKey, isTokenText } from "../../domain/tokens/token-text.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { sha256 } from "../derived-ids.ts";
import { readState } from "../state-cache.ts";
import { hashOfToken, type TokenHash } from "./issue-token.ts";

/** The caller of an `Authorization` header; "missing" without a bearer token, "unknown" for an invalid one. */
export type TokenCheck = (authorization: string | undefined) => Promise<Principal | "unknown" | "missing">;

interface Known {
  readonly readAt: number;
  readonly caller: Promise<Principal | "unknown">;
}

/** A revoked token must stop working within 2 s (contract/tokens.md#operators), including the time of a read. */
const freshMs = 1_500;
const maxKnown = 20_000;
/** Longer headers are not parsed or hashed; no token is that long. */
const maxHeaderLength = 1_024;

/**
 * Checks tokens and keys of channels against their streams. Results are cached for 1.5 s from the start of the read,
 * also negative ones. Rejects with `EventLogUnavailable` if it must read and cannot.
 * @param adminToken the operator's token; null: there is no operator
 */
export function createTokenCheck(log: EventLog, adminToken: string | null, now = Date.now): TokenCheck {
  const adminHash = adminToken === null ? null : sha256(adminToken);
  const known = new LRUCache<string, Known>({ max: maxKnown });

  return async (authorization) => {
    if (authorization !== undefined && authorization.length > maxHeaderLength) return "unknown";
    const text = bearerToken(authorization);
    if (text === null) return "missing";
    if (adminHash !== null && timingSafeEqual(sha256(text), adminHash)) return { kind: "operator" };
    if (!isTokenText(text)) return "unknown";
    const hash = hashOfToken(text);
    const key = hash.tokenId + hash.secretHashRest;
    const earlier = known.get(key);
    if (earlier !== undefined && now() - earlier.readAt < freshMs) return earlier.caller;
    const read: Known = { readAt: now(), caller: isChannelKey(text) ? readChannel(log, hash) : readCaller(log, hash) };
    known.set(key, read);
    // A failure is not cached.
    read.caller.catch(() => known.peek(key) === read && known.delete(key));
    return read.caller;
  };
}

/** The token of a bearer header (contract/tokens.md#authorization); null if it is absent or of another scheme. */
function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? null;
}

async function readCaller(log: EventLog, { tokenId, secretHashRest }: TokenHash): Promise<Principal | "unknown"> {
  const { state } = await readState(log, token, tokenStream(tokenId));
  if (state.stage !== "issued" || !isSameHash(state.token.secretHashRest, secretHashRest)) return "unknown";
  const { kind, role, appId, channels } = state.token;
  return { kind: "token", tokenId, tokenKind: kind, role, appId, channels };
}

async function readChannel(log: EventLog, { tokenId, secretHashRest }: TokenHash): Promise<Principal | "unknown"> {
  const { state } = await readState(log, certifications, channelCertificationsStream);
  const certificate = certificateOf(state, tokenId);
  if (certificate === null || !isSameHash(certificate.secretHashRest, secretHashRest)) return "unknown";
  return { kind: "channel", tokenId, channel: certificate.channel, responseFormat: certificate.responseFormat };
}

function isSameHash(stored: string, given: string): boolean {
  return stored.length === given.length && timingSafeEqual(Buffer.from(stored, "hex"), Buffer.from(given, "hex"));
}
