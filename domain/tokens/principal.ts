import type { Role, TokenKind } from "./events.ts";

/** The authenticated caller (contract/tokens.md#kinds). */
export type Principal =
  | { readonly kind: "operator" }
  /** A certified channel, by its key (contract/administration.md#certification). */
  | {
      readonly kind: "channel";
      readonly tokenId: string;
      readonly channel: string;
      /** Required value of `response_format`. */
      readonly responseFormat: string;
    }
  | {
      readonly kind: "token";
      readonly tokenId: string;
      readonly tokenKind: TokenKind;
      /** Of `api` tokens; null on all others. */
      readonly role: Role | null;
      readonly appId: number;
      /** Channels visible to a media partner; empty on all others. */
      readonly channels: readonly string[];
    };
