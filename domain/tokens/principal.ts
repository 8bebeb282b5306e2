import type { Role, TokenKind } from "./events.ts";

/** Who is calling, once the token is known (contract/tokens.md#kinds). */
export type Principal =
  | { readonly kind: "operator" }
  /** A certified channel, by its key (contract/administration.md#certification). */
  | {
      readonly kind: "channel";
      readonly tokenId: string;
      readonly channel: string;
      /** What it must send as `response_format`. */
      readonly responseFormat: string;
    }
  | {
      readonly kind: "token";
      readonly tokenId: string;
      readonly tokenKind: TokenKind;
      /** Of `api` tokens; null on all others. */
      readonly role: Role | null;
      readonly appId: number;
      /** What a media partner may see; empty on all others. */
      readonly channels: readonly string[];
    };
