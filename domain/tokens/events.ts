// NOTE storage format
import type { DomainEvent } from "../event.ts";

export type TokenKind = "api" | "link" | "sdk" | "web";
export type Role = "owner" | "in_house_marketer" | "agency" | "media_partner";

export type TokenIssued = DomainEvent<
  "TokenIssued",
  {
    /** First 32 hex digits of the SHA-256 of the token's text: the stream's id. */
    readonly tokenId: string;
    /** The other 32. */
    readonly secretHashRest: string;
    readonly kind: TokenKind;
    /** Of `api` tokens; null on all others. */
    readonly role: Role | null;
    readonly appId: number;
    /** Channels that a `media_partner` may see; empty for every other. */
    readonly channels: readonly string[];
    readonly label: string | null;
  }
>;

export type TokenRevoked = DomainEvent<"TokenRevoked", { readonly tokenId: string; readonly appId: number }>;

export type TokenEvent = TokenIssued | TokenRevoked;
