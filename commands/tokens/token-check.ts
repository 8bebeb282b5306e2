import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type CertificationsState, certificateOf, certifications } from "../../domain/channels/certifications.ts";
import { channelCertificationsStream, tokenStream } from "../../domain/streams.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { token } from "../../domain/tokens/token.ts";
import { isChannelKey, isTokenText } from "../../domain/tokens/token-text.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { Authentication } from "../../infra/http/routing/authorise.ts";
import { singleFlight } from "../../infra/process/single-flight.ts";
import { sha256 } from "../derived-ids.ts";
import { readState, type StateAt } from "../state-cache.ts";
import { hashOfToken, type TokenHash } from "./issue-token.ts";

/** The caller of an `Authorization` header. @param admit default: always */
export type TokenCheck = (authorization: string | undefined, admit?: () => boolean) => Promise<Authentication>;

interface Read {
  readonly readAt: number;
  readonly caller: Promise<Principal | "unknown">;
}

/** A revoked token must stop working within 2 s (contract/tokens.md#operators), including the time of a read. */
const freshMs = 1_500;
const maxValid = 20_000;
const maxUnknown = 10_000;
/** Longer headers are not parsed or hashed; no token is that long. */
const maxHeaderLength = 1_024;

/**
 * Checks tokens and keys of channels against their streams. Results are cached for 1.5 s from the start of the read,
 * also negative ones. A token that was valid when it was last read is admitted without a call of `admit`. Rejects with
 * `EventLogUnavailable` if it must read and cannot.
 * @param adminToken the operator's token; null: there is no operator
 */
export function createTokenCheck(log: EventLog, adminToken: string | null, now = () => performance.now()): TokenCheck {
  const adminHash = adminToken === null ? null : sha256(adminToken);
  const valid = new LRUCache<string, Read>({ max: maxValid });
  /** Unknown tokens, and those being read for the first time; kept apart, so that guesses evict no valid token. */
  const others = new LRUCache<string, Read>({ max: maxUnknown });
  const readChannel = createChannelReader(log);
  const isFresh = ({ readAt }: Read): boolean => now() - readAt < freshMs;

  function read(key: string, text: string, hash: TokenHash): Promise<Principal | "unknown"> {
    const started: Read = {
      readAt: now(),
      caller: isChannelKey(text) ? readChannel(hash) : readCaller(log, hash),
    };
    const wasValid = valid.peek(key);
    (wasValid === undefined ? others : valid).set(key, started);
    const isLatest = (): boolean => (valid.peek(key) ?? others.peek(key)) === started;
    started.caller.then(
      (caller) => {
        if (!isLatest()) return;
        valid.delete(key);
        others.delete(key);
        (caller === "unknown" ? others : valid).set(key, started);
      },
      () => {
        if (!isLatest()) return;
        // A failure is not cached.
        if (wasValid === undefined) others.delete(key);
        else valid.set(key, { ...wasValid, readAt: Number.NEGATIVE_INFINITY });
      },
    );
    return started.caller;
  }

  return async (authorization, admit = () => true) => {
    const isParsed = authorization === undefined || authorization.length <= maxHeaderLength;
    const text = isParsed ? bearerToken(authorization) : null;
    if (text !== null && adminHash !== null && timingSafeEqual(sha256(text), adminHash)) return { kind: "operator" };
    const hash = text !== null && isTokenText(text) ? hashOfToken(text) : null;
    const key = hash === null ? "" : hash.tokenId + hash.secretHashRest;
    const known = valid.get(key);
    if (known === undefined && !admit()) return "limited";
    if (text === null) return isParsed ? "missing" : "unknown";
    if (hash === null) return "unknown";
    const earlier = known ?? others.get(key);
    return earlier !== undefined && isFresh(earlier) ? earlier.caller : read(key, text, hash);
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

/** Reads only new events: the keys of all channels are in one stream, and anyone can make up keys that must be looked up. */
function createChannelReader(log: EventLog) {
  let known: StateAt<CertificationsState> | undefined;
  const refresh = singleFlight(async () => {
    known = await readState(log, certifications, channelCertificationsStream, known);
    return known.state;
  });
  return async ({ tokenId, secretHashRest }: TokenHash): Promise<Principal | "unknown"> => {
    const certificate = certificateOf(await refresh(), tokenId);
    if (certificate === null || !isSameHash(certificate.secretHashRest, secretHashRest)) return "unknown";
    return { kind: "channel", tokenId, channel: certificate.channel, responseFormat: certificate.responseFormat };
  };
}

function isSameHash(stored: string, given: string): boolean {
  return stored.length === given.length && timingSafeEqual(Buffer.from(stored, "hex"), Buffer.from(given, "hex"));
}
