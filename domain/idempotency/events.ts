// NOTE storage format

import type { DomainEvent } from "../event.ts";
import type { Language } from "../values/language.ts";

/**
 * A request took an `Idempotency-Key` (contract/http.md#idempotency): what follows under that key is this request
 * again, or refused.
 */
export type IdempotencyKeyClaimed = DomainEvent<
  "IdempotencyKeyClaimed",
  {
    readonly appId: number;
    /** SHA-256 of the key, hex. */
    readonly keyHash: string;
    /** SHA-256 of everything that makes the request what it is, hex. */
    readonly requestHash: string;
    readonly claimedAt: string;
  }
>;

/** The first answer under a key, given again for 24 h (contract/http.md#idempotency). */
export type AnswerStored = DomainEvent<
  "AnswerStored",
  {
    readonly appId: number;
    readonly keyHash: string;
    readonly requestHash: string;
    readonly status: number;
    /** Null with an absent body. */
    readonly mediaType: string | null;
    readonly body: string | null;
    /** That the body is in; absent before there was another than English. */
    readonly language?: Language;
    readonly answeredAt: string;
  }
>;

export type IdempotencyEvent = IdempotencyKeyClaimed | AnswerStored;
