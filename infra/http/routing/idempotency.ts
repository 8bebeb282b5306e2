import { createHash } from "node:crypto";
import type { Request } from "express";
import type { LogPosition } from "../../../domain/event.ts";
import { fault } from "../../../domain/fault.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { Language } from "../../../domain/values/language.ts";
import { type Problem, validationFailed } from "../response/problem.ts";

/** An answer as it can be given again. */
export interface KeptAnswer {
  readonly status: number;
  /** Null with an absent body. */
  readonly mediaType: string | null;
  readonly body: string | null;
  readonly language: Language;
}

/** Who asks, and when: what the log is told. */
export interface KeyedCaller {
  readonly principal: Principal;
  readonly requestId: string;
  /** ISO 8601. */
  readonly receivedAt: string;
}

export type Claim =
  /** The request has the key. What it writes is derived from `commandId`, the same whenever the request comes again. */
  | { readonly outcome: "claimed"; readonly commandId: string }
  /** It has been answered; `position` is that of the answer, behind everything that the request has written. */
  | { readonly outcome: "answered"; readonly answer: KeptAnswer; readonly position: LogPosition | null }
  /** Another request has the key. */
  | { readonly outcome: "refused"; readonly problem: Problem };

/** One key while a request holds it: no other request of this process does. */
export interface HeldKey {
  /** Whether an answer is kept under the key. */
  readonly isAnswered: boolean;
  /** Takes the key for the request. */
  claim(requestHash: string, caller: KeyedCaller): Promise<Claim>;
  /** Keeps the answer of a request that has claimed the key; answers the one that was kept first. */
  keep(requestHash: string, answer: KeptAnswer, caller: KeyedCaller): Promise<KeptAnswer>;
}

/** What is remembered of requests with an `Idempotency-Key` (contract/http.md#idempotency). */
export interface KeyedRequests {
  /** Runs `use` when it is its turn: one after the other for one key of an app. */
  inTurn<Result>(appId: number, key: string, use: (key: HeldKey) => Promise<Result>): Promise<Result>;
}

/**
 * Bytes of a body that is kept, at most: an append takes 1 MiB. A longer answer is made again from the same ids when
 * its request comes again.
 */
export const maxStoredBodyBytes = 256 * 1024;

/** These say nothing of what the request does (contract/http.md#idempotency). */
export function isStorable(status: number): boolean {
  return status < 500 && ![401, 403, 413, 429].includes(status);
}

/**
 * The `Idempotency-Key` of a request; null when there is none.
 * @returns the problem (400) of one that is not 1 to 255 printable ASCII characters
 */
export function idempotencyKeyOf(request: Request): string | Problem | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  return typeof key === "string" && /^[\x20-\x7e]{1,255}$/.test(key) ? key : malformedKey;
}

const malformedKey = validationFailed([fault("wrong_format.idempotency_key", ["header", "Idempotency-Key"])]);

/** What a body says: for most its bytes and how they are written, for one that is a form with a file, the file. */
export interface BodyContent {
  /** What else than `bytes` makes it what it is. */
  readonly form: readonly unknown[];
  readonly bytes: Uint8Array;
}

/** A body as it was written. */
export function writtenContent(request: Request, bytes: Uint8Array): BodyContent {
  const { "content-type": contentType = null, "content-encoding": contentEncoding = null } = request.headers;
  return { form: [contentType, contentEncoding], bytes };
}

/**
 * SHA-256, hex, of what makes a request what it is: method, path with its query, what the body says, and what the
 * caller may see: an answer is never given to somebody who would have got another.
 */
export function requestHash(request: Request, principal: Principal, { form, bytes }: BodyContent): string {
  const rights =
    principal.kind === "token" ? [principal.tokenKind, principal.role, [...principal.channels].sort()] : [];
  const head = [request.method, request.originalUrl, ...form, rights];
  return createHash("sha256").update(JSON.stringify(head)).update("\n").update(bytes).digest("hex");
}
