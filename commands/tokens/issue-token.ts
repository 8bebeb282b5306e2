import { randomInt } from "node:crypto";
import type { LogPosition } from "../../domain/event.ts";
import { tokenStream } from "../../domain/streams.ts";
import type { Grant } from "../../domain/tokens/grant.ts";
import { token } from "../../domain/tokens/token.ts";
import { base62, secretLength, type TokenTextKind, tokenText } from "../../domain/tokens/token-text.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { sha256 } from "../derived-ids.ts";
import type { Cause } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";

/** SHA-256 of a token's text in two halves: the first is the token's id (contract/tokens.md#format). */
export interface TokenHash {
  readonly tokenId: string;
  readonly secretHashRest: string;
}

/** A token that is not issued yet. */
export interface GeneratedToken extends TokenHash {
  /** Shown once, never stored (contract/tokens.md#format). */
  readonly text: string;
}

/** Draws a random token; nothing is stored until {@link issueToken}. */
export function generateToken(kind: TokenTextKind): GeneratedToken {
  const digits = Array.from({ length: secretLength }, () => base62.charAt(randomInt(base62.length)));
  const text = tokenText(kind, digits.join(""));
  return { text, ...hashOfToken(text) };
}

/** The stored hash of a token, to issue it or to look it up. */
export function hashOfToken(text: string): TokenHash {
  const hex = sha256(text).toString("hex");
  return { tokenId: hex.slice(0, 32), secretHashRest: hex.slice(32) };
}

/** Issues a generated token for an app; returns the position of `TokenIssued`. */
export async function issueToken(
  log: EventLog,
  { tokenId, secretHashRest }: TokenHash,
  appId: number,
  grant: Grant,
  cause: Cause,
): Promise<LogPosition> {
  const command = { type: "IssueToken", token: { tokenId, secretHashRest, appId, ...grant } } as const;
  const issued = await handleCommand(log, token, tokenStream(tokenId), `issue ${tokenId}`, command, cause);
  if (issued.outcome === "rejected" || issued.position === null) throw new Error("A fresh token was not issued");
  return issued.position;
}
