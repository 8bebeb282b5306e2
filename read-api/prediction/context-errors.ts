import { itemsByKey } from "../../domain/items-by-key.ts";
import type { Language } from "../../domain/values/language.ts";
import { textOf } from "../../infra/http/i18n/messages.ts";
import type { RefusedCall, Reply } from "../../infra/http/routing/route.ts";

/**
 * The status of each error code (contract/prediction.md#errors,
 * contract/prediction.md#checks).
 */
const statuses = {
  INVALID_JSON: 400,
  UNAUTHORIZED: 401,
  CONTEXT_DATA_NOT_FOUND: 404,
  CONTEXT_INACTIVE: 409,
  IDENTIFIER_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_ERROR: 422,
  CONTEXT_FEATURE_INVALID: 500,
  INTERNAL_ERROR: 500,
  CONTEXT_UNAVAILABLE: 503,
  CONTEXT_LOG_UNAVAILABLE: 503,
  AUTHENTICATION_UNAVAILABLE: 503,
  SERVING_UNAVAILABLE: 503,
} as const;

export type ContextErrorCode = keyof typeof statuses;

export interface ContextError {
  readonly code: ContextErrorCode;
  /** The code of its message, if it has another than its own. */
  readonly text?: string;
}

/** The codes by status. */
export const contextErrorCodes: ReadonlyMap<number, readonly ContextErrorCode[]> = itemsByKey(
  Object.keys(statuses) as ContextErrorCode[],
  (code) => statuses[code],
);

/**
 * Whether the same request may be repeated (contract/prediction.md#errors): after a 503, and after an unforeseen
 * failure.
 */
export function isRetryable(code: ContextErrorCode): boolean {
  return statuses[code] === 503 || code === "INTERNAL_ERROR";
}

const defaultRetrySeconds = 1;
/** Codes that other endpoints have too, with other advice. */
const ownMessages: ReadonlySet<ContextErrorCode> = new Set(["INVALID_JSON", "PAYLOAD_TOO_LARGE", "UNAUTHORIZED"]);
const textCodeOf = (code: ContextErrorCode): string => (ownMessages.has(code) ? `${code}.context` : code);

/** The response of a failure (contract/prediction.md#errors). */
export function contextFailure(
  { code, text = textCodeOf(code) }: ContextError,
  { requestId, language }: { readonly requestId: string; readonly language: Language },
  retryAfterSeconds = defaultRetrySeconds,
): Extract<Reply, { readonly kind: "ok" }> {
  const status: number = statuses[code];
  const message = textOf({ code: text }, language);
  const error = { code, message, retryable: isRetryable(code) };
  const headers: { [name: string]: string } = {};
  if (status === 503) headers["Retry-After"] = String(retryAfterSeconds);
  if (status === 401) headers["WWW-Authenticate"] = "Bearer";
  return { kind: "ok", status, body: { requestId, error }, headers };
}

/** The error of a call that a step before its handler refused, or that failed (contract/prediction.md#checks). */
export function errorOfRefusal(call: RefusedCall): ContextError {
  const code = codeOfRefusal(call);
  const isOfHeader = code === "VALIDATION_ERROR" && call.problem.errors?.[0]?.path[0] === "header";
  return isOfHeader ? { code, text: "VALIDATION_ERROR.position" } : { code };
}

function codeOfRefusal({ problem, principal, app }: RefusedCall): ContextErrorCode {
  const { status, code } = problem;
  if (status === 429) return "SERVING_UNAVAILABLE";
  if (principal === null || app === null) {
    if (status === 503) return "AUTHENTICATION_UNAVAILABLE";
    return status < 500 ? "UNAUTHORIZED" : "INTERNAL_ERROR";
  }
  if (status === 503) return "CONTEXT_UNAVAILABLE";
  if (status >= 500) return "INTERNAL_ERROR";
  if (status === 413) return "PAYLOAD_TOO_LARGE";
  return code === "VALIDATION_FAILED" ? "VALIDATION_ERROR" : "INVALID_JSON";
}
