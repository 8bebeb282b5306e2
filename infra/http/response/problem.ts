import type { Fault, Message } from "../../../domain/fault.ts";

/** An error response before it is written as RFC 9457, in the language of the client (contract/http.md#errors). */
export interface Problem {
  readonly status: number;
  /** Stable, UPPER_SNAKE. Clients see the part before a dot; what follows it only selects the message. */
  readonly code: string;
  /** The message of `detail` (default: that of `code`). */
  readonly detail?: Message;
  /** Their paths begin with the part of the request: `body`, `query`, `path` or `header`. */
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
}

/** Problems that any route can respond with (contract/http.md#statuses). */
export const problems = {
  unauthorized: { status: 401, code: "UNAUTHORIZED" },
  notCertified: { status: 401, code: "UNAUTHORIZED.certified_channel" },
  forbidden: { status: 403, code: "FORBIDDEN" },
  appNotFound: { status: 404, code: "APP_NOT_FOUND" },
  reportTaskNotFound: { status: 404, code: "REPORT_TASK_NOT_FOUND" },
  rateLimited: { status: 429, code: "RATE_LIMITED" },
  addressLimited: { status: 429, code: "RATE_LIMITED.address" },
  notFound: { status: 404, code: "NOT_FOUND" },
  linkAddressNotFound: { status: 404, code: "NOT_FOUND.link_address" },
  methodNotAllowed: { status: 405, code: "METHOD_NOT_ALLOWED" },
  payloadTooLarge: { status: 413, code: "PAYLOAD_TOO_LARGE" },
  tooManyMembers: { status: 413, code: "PAYLOAD_TOO_LARGE.members" },
  unsupportedMediaType: { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
  unsupportedContentEncoding: { status: 415, code: "UNSUPPORTED_MEDIA_TYPE.content_encoding" },
  invalidGzip: { status: 400, code: "INVALID_GZIP" },
  badRequest: { status: 400, code: "BAD_REQUEST" },
  invalidJson: { status: 400, code: "INVALID_JSON" },
  notMultipart: { status: 400, code: "NOT_MULTIPART.file" },
  notMultipartFiles: { status: 400, code: "NOT_MULTIPART.files" },
  invalidMultipart: { status: 400, code: "INVALID_MULTIPART" },
  unavailable: { status: 503, code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 2 },
  noModelRuntime: { status: 503, code: "SERVICE_UNAVAILABLE.model_runtime" },
  starting: { status: 503, code: "STARTING", retryAfterSeconds: 1 },
  readModelBehind: { status: 503, code: "READ_MODEL_BEHIND", retryAfterSeconds: 1 },
  overloaded: { status: 503, code: "OVERLOADED", retryAfterSeconds: 1 },
  internalError: { status: 500, code: "INTERNAL_ERROR" },
} as const satisfies Record<string, Problem>;

/** The problem of a body of more than `limit` bytes. */
export function bodyTooLarge(limit: number): Problem {
  return { ...problems.payloadTooLarge, detail: { code: "PAYLOAD_TOO_LARGE.bytes", params: { limit } } };
}

/** The problem of a request with faults. Some routes have a status of their own for it (contract/http.md#statuses). */
export function validationFailed(errors: readonly Fault[], status = 400): Problem {
  return { status, code: "VALIDATION_FAILED", errors };
}
