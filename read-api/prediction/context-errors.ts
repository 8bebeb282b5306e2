import type { Language } from "../../domain/values/language.ts";
import { translate } from "../../infra/http/i18n/translate.ts";
import type { RefusedCall, Reply } from "../../infra/http/routing/route.ts";

interface ContextError {
  readonly status: number;
  readonly message: string;
}

/**
 * The codes of errors, each with its status (contract/prediction.md#errors,
 * contract/prediction.md#checks).
 */
const contextErrors = {
  INVALID_JSON: { status: 400, message: "The body is not valid JSON." },
  UNAUTHORIZED: { status: 401, message: "Send a known SDK or Web token: Authorization: Bearer <token>." },
  CONTEXT_DATA_NOT_FOUND: { status: 404, message: "There is no such user, or no install of theirs." },
  CONTEXT_INACTIVE: { status: 409, message: "Context prediction is switched off for this app." },
  IDENTIFIER_CONFLICT: { status: 409, message: "More than one device has sent this partner device id." },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The body is larger than this endpoint takes." },
  VALIDATION_ERROR: {
    status: 422,
    message: "Send one of userId, partnerDeviceId and serviceExternalUserId, a text that is not blank.",
  },
  CONTEXT_FEATURE_INVALID: { status: 500, message: "The context model features are invalid." },
  INTERNAL_ERROR: { status: 500, message: "Something went wrong on our side." },
  CONTEXT_UNAVAILABLE: { status: 503, message: "Context prediction is not available now; try again." },
  CONTEXT_LOG_UNAVAILABLE: { status: 503, message: "The call could not be recorded; try again." },
  AUTHENTICATION_UNAVAILABLE: { status: 503, message: "The token cannot be checked now; try again." },
  SERVING_UNAVAILABLE: {
    status: 503,
    message: "Too many calls for now; try again after the seconds that Retry-After names.",
  },
} as const satisfies { readonly [code: string]: ContextError };

export type ContextErrorCode = keyof typeof contextErrors;

/**
 * Whether the same request may be repeated (contract/prediction.md#errors): after a 503, and after an unforeseen
 * failure.
 */
export function isRetryable(code: ContextErrorCode): boolean {
  return contextErrors[code].status === 503 || code === "INTERNAL_ERROR";
}

const defaultRetrySeconds = 1;

/** A failure as it is answered (contract/prediction.md#errors). */
export function contextFailure(
  code: ContextErrorCode,
  { requestId, language }: { readonly requestId: string; readonly language: Language },
  retryAfterSeconds = defaultRetrySeconds,
): Extract<Reply, { readonly kind: "ok" }> {
  const { status, message } = contextErrors[code];
  const error = { code, message: translate(message, language), retryable: isRetryable(code) };
  const headers: { [name: string]: string } = {};
  if (status === 503) headers["Retry-After"] = String(retryAfterSeconds);
  if (status === 401) headers["WWW-Authenticate"] = "Bearer";
  return { kind: "ok", status, body: { requestId, error }, headers };
}

/** The code of a call that a step before its handler refused, or that failed (contract/prediction.md#checks). */
export function codeOfRefusal({ problem, principal, app }: RefusedCall): ContextErrorCode {
  const { status, code } = problem;
  if (code === "RATE_LIMITED") return "SERVING_UNAVAILABLE";
  if (principal === null || app === null) {
    if (status === 503) return "AUTHENTICATION_UNAVAILABLE";
    return status < 500 ? "UNAUTHORIZED" : "INTERNAL_ERROR";
  }
  if (status === 503) return "CONTEXT_UNAVAILABLE";
  if (status >= 500) return "INTERNAL_ERROR";
  if (status === 413) return "PAYLOAD_TOO_LARGE";
  return code === "VALIDATION_FAILED" ? "VALIDATION_ERROR" : "INVALID_JSON";
}
