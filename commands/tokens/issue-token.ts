import type { LogPosition } from "../../domain/event.ts";
import { tokenStream } from "../../domain/streams.ts";
import type { Grant } from "../../domain/tokens/grant.ts";
import { token } from "../../domain/tokens/token.ts";
import type { TokenTextKind } from "../../domain/tokens/token-text.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { handleCommand } from "../handle-command.ts";
import type { Cause } from "../metadata.ts";
import { hashOfToken, newTokenText, type SecretHash } from "./secret.ts";

/** A token that is drawn but not yet issued. */
export interface DrawnToken extends SecretHash {
  /** Shown once, never stored (contract/tokens.md#format). */
  readonly text: string;
}

export function drawToken(kind: TokenTextKind): DrawnToken {
  const text = newTokenText(kind);
  return { text, ...hashOfToken(text) };
}

/** Issues a drawn token for an app. Answers the position of `TokenIssued`. */
export async function issueToken(
  log: EventLog,
  drawn: DrawnToken,
  appId: number,
  grant: Grant,
  cause: Cause,
): Promise<LogPosition> {
  const { tokenId, secretHashRest } = drawn;
  const command = { kind: "issue", token: { tokenId, secretHashRest, appId, ...grant } } as const;
  const issued = await handleCommand(log, token, tokenStream(tokenId), `issue ${tokenId}`, command, cause);
  if (issued.outcome === "rejected" || issued.position === null) throw new Error("A fresh token was not issued");
  return issued.position;
}
