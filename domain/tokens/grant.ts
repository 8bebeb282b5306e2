import { type Rejection, rejectField } from "../decider.ts";
import type { Role, TokenKind } from "./events.ts";

/** Maximum channels of a media partner (contract/tokens.md#permissions). */
export const maxPartnerChannels = 100;

/** The requested rights of a token. */
export interface GrantRequest {
  readonly kind: TokenKind;
  readonly role?: Role | null | undefined;
  readonly channels?: readonly string[] | undefined;
  readonly label?: string | null | undefined;
}

/** The rights of a token (contract/tokens.md#kinds, contract/tokens.md#permissions). */
export interface Grant {
  readonly kind: TokenKind;
  readonly role: Role | null;
  readonly channels: readonly string[];
  readonly label: string | null;
}

export type GrantRejection = "ROLE_REQUIRED" | "ROLE_NOT_ALLOWED" | "CHANNELS_REQUIRED" | "CHANNELS_NOT_ALLOWED";

/**
 * Validates a request: only `api` tokens have a role, only media partners have channels (contract/tokens.md#kinds,
 * contract/tokens.md#permissions).
 */
export function grantOf(request: GrantRequest): Grant | Rejection<GrantRejection> {
  const { kind, role = null, channels = [], label = null } = request;
  if (kind === "api" && role === null) return rejectField("ROLE_REQUIRED", ["body", "role"]);
  if (kind !== "api" && role !== null) return rejectField("ROLE_NOT_ALLOWED", ["body", "role"]);
  const path = ["body", "channels"];
  if (role === "media_partner" && channels.length === 0) return rejectField("CHANNELS_REQUIRED", path);
  if (role !== "media_partner" && channels.length > 0) return rejectField("CHANNELS_NOT_ALLOWED", path);
  return { kind, role, channels, label };
}
