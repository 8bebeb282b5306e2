// NOTE storage format

import type { DomainEvent } from "../event.ts";
import type { Language } from "../values/language.ts";

/** A request has claimed an `Idempotency-Key`, which rejects other requests (contract/http.md#idempotency). */
export type IdempotencyKeyClaimed = DomainEvent<
  "IdempotencyKeyClaimed",
  {
    readonly appId: number;
    /** SHA-256 of the key, hex. */
    readonly keyHash: string;
    /** SHA-256 of everything that identifies the request, hex. */
    readonly requestHash: string;
    readonly claimedAt: string;
  }
>;

/** The first response under a key, repeated for 24 h (contract/http.md#idempotency). */
export type AnswerStored = DomainEvent<
  "AnswerStored",
  {
    readonly appId: number;
    readonly keyHash: string;
    readonly requestHash: string;
    readonly status: number;
    /** Null without a body. */
    readonly mediaType: string | null;
    readonly body: string | null;
    /** Language of the body; default English. */
    readonly language?: Language;
    readonly answeredAt: string;
  }
>;

export type IdempotencyEvent = IdempotencyKeyClaimed | AnswerStored;
