import { createHash } from "node:crypto";
import type { Request } from "express";
import type { LogPosition } from "../../../domain/event.ts";
import { fault } from "../../../domain/fault.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { Language } from "../../../domain/values/language.ts";
import { type Problem, validationFailed } from "../response/problem.ts";

/** A response that is stored to be sent again. */
export interface StoredResponse {
  readonly status: number;
  /** Null without a body. */
  readonly mediaType: string | null;
  readonly body: string | null;
  readonly language: Language;
}

/** The metadata of the events that a claimed key appends. */
export interface KeyedCaller {
  readonly principal: Principal;
  readonly requestId: string;
  /** ISO 8601. */
  readonly receivedAt: string;
}

export type Claim =
  /**
   * The request has the key. Ids of its writes are derived from `commandId`, which is the same for a repeated request, as
   * is the time of the first claim (ISO 8601).
   */
  | { readonly outcome: "claimed"; readonly commandId: string; readonly claimedAt: string }
  /** There is a response already; `position` is after everything that the request has written. */
  | { readonly outcome: "answered"; readonly response: StoredResponse; readonly position: LogPosition | null }
  /** Another request has the key. */
  | { readonly outcome: "refused"; readonly problem: Problem };

/** A key held by one request of this process. */
export interface HeldKey {
  /** Whether a response is stored under the key. */
  readonly isAnswered: boolean;
  /** Claims the key for the request. */
  claim(requestHash: string, caller: KeyedCaller): Promise<Claim>;
  /** Stores the response of a request that has claimed the key; returns the one that was stored first. */
  store(requestHash: string, response: StoredResponse, caller: KeyedCaller): Promise<StoredResponse>;
}

/** Requests by their `Idempotency-Key` (contract/http.md#idempotency). */
export interface KeyedRequests {
  /** Runs `use` with the key; requests with the same key of an app run one after the other. */
  withKey<Result>(appId: number, key: string, use: (key: HeldKey) => Promise<Result>): Promise<Result>;
}

/** Maximum bytes of a stored body as JSON text: an append takes 1 MiB. A longer one is made again from the same ids. */
export const maxStoredBodyBytes = 768 * 1024;

/** Whether a response with this status is stored: not if the server failed, or refused the request unhandled. */
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

/** The content of a body for its hash: its bytes and headers; of a form with one file, only the file. */
export interface BodyContent {
  /** What identifies the content besides `bytes`. */
  readonly form: readonly unknown[];
  readonly bytes: Uint8Array;
}

/** The content of a body that is not a form with one file. */
export function writtenContent(request: Request, bytes: Uint8Array): BodyContent {
  const { "content-type": contentType = null, "content-encoding": contentEncoding = null } = request.headers;
  return { form: [contentType, contentEncoding], bytes };
}

/**
 * SHA-256, hex, of method, path, query and body of a request, and of the caller's rights: a stored response must never go
 * to a caller who would have received another one.
 */
export function requestHash(request: Request, principal: Principal, { form, bytes }: BodyContent): string {
  const rights =
    principal.kind === "token" ? [principal.tokenKind, principal.role, [...principal.channels].sort()] : [];
  const head = [request.method, request.originalUrl, ...form, rights];
  return createHash("sha256").update(JSON.stringify(head)).update("\n").update(bytes).digest("hex");
}
