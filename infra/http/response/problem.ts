/** One fault of a request: where it is and why (contract/http.md#errors). */
export interface FieldFault {
  /** Path to the field: `["body","groupBys",3]`, `["query","size"]`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An error answer before it is written as RFC 9457 (contract/http.md#errors). */
export interface Problem {
  readonly status: number;
  /** Stable, UPPER_SNAKE. */
  readonly code: string;
  readonly title: string;
  /** Words for the caller; never exception text, SQL, a stack or a file path. */
  readonly detail: string;
  readonly errors?: readonly FieldFault[];
  readonly retryAfterSeconds?: number;
}

/** Titles of statuses that a route may choose for its faults (contract/http.md#statuses). */
export const titleOf: { readonly [status: number]: string } = {
  400: "Bad request",
  404: "Not found",
  422: "Unprocessable content",
};

/** Problems that any route can answer (contract/http.md#statuses). */
export const problems = {
  unauthorized: {
    status: 401,
    code: "UNAUTHORIZED",
    title: "Unauthorized",
    detail: "Send a known token: Authorization: Bearer <token>.",
  },
  notCertified: {
    status: 401,
    code: "UNAUTHORIZED",
    title: "Unauthorized",
    detail:
      "Send the key of a certified channel as Authorization: Bearer <key> and as api_key, and the response_format of that channel.",
  },
  forbidden: {
    status: 403,
    code: "FORBIDDEN",
    title: "Forbidden",
    detail: "This token may not do this.",
  },
  appNotFound: {
    status: 404,
    code: "APP_NOT_FOUND",
    title: "Not found",
    detail: "There is no such app, or this token may not see it.",
  },
  reportTaskNotFound: {
    status: 404,
    code: "REPORT_TASK_NOT_FOUND",
    title: "Not found",
    detail: "There is no such report task, or it ended more than 7 days ago.",
  },
  rateLimited: {
    status: 429,
    code: "RATE_LIMITED",
    title: "Too many requests",
    detail: "This token has sent too many requests; try again after the seconds that Retry-After names.",
  },
  notFound: { status: 404, code: "NOT_FOUND", title: "Not found", detail: "There is no such resource." },
  methodNotAllowed: {
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    title: "Method not allowed",
    detail: "This path exists, but not with this method.",
  },
  payloadTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    title: "Payload too large",
    detail: "The body is larger than this endpoint takes.",
  },
  unsupportedMediaType: {
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    title: "Unsupported media type",
    detail: "Send application/json.",
  },
  unsupportedContentEncoding: {
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    title: "Unsupported media type",
    detail: "This endpoint does not take that Content-Encoding.",
  },
  invalidGzip: { status: 400, code: "INVALID_GZIP", title: "Bad request", detail: "The body is not valid gzip." },
  badRequest: { status: 400, code: "BAD_REQUEST", title: "Bad request", detail: "The request cannot be understood." },
  invalidJson: { status: 400, code: "INVALID_JSON", title: "Bad request", detail: "The body is not valid JSON." },
  notMultipart: {
    status: 400,
    code: "NOT_MULTIPART",
    title: "Bad request",
    detail: "Send multipart/form-data, with its boundary, that holds one file part.",
  },
  notMultipartFiles: {
    status: 400,
    code: "NOT_MULTIPART",
    title: "Bad request",
    detail: "Send multipart/form-data, with its boundary, that holds the files.",
  },
  invalidMultipart: {
    status: 400,
    code: "INVALID_MULTIPART",
    title: "Bad request",
    detail: "The body is not valid multipart/form-data: a part is broken, or the end is missing.",
  },
  validationFailed: {
    status: 400,
    code: "VALIDATION_FAILED",
    title: "Bad request",
    detail: "Some fields are missing or wrong; see errors.",
  },
  unavailable: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    title: "Service unavailable",
    detail: "The event store or the database cannot be reached; try again.",
    retryAfterSeconds: 2,
  },
  starting: {
    status: 503,
    code: "STARTING",
    title: "Service unavailable",
    detail: "The server is being started; try again.",
    retryAfterSeconds: 1,
  },
  readModelBehind: {
    status: 503,
    code: "READ_MODEL_BEHIND",
    title: "Service unavailable",
    detail: "The read models have not reached X-Min-Position yet; try again.",
    retryAfterSeconds: 1,
  },
  overloaded: {
    status: 503,
    code: "OVERLOADED",
    title: "Service unavailable",
    detail: "Too much is waiting to be written; try again.",
    retryAfterSeconds: 1,
  },
  internalError: {
    status: 500,
    code: "INTERNAL_ERROR",
    title: "Internal error",
    detail: "Something went wrong on our side.",
  },
} as const satisfies Record<string, Problem>;

/** A problem answered with another status than its own. */
export function withStatus(problem: Problem, status: number): Problem {
  return status === problem.status ? problem : { ...problem, status, title: titleOf[status] ?? problem.title };
}
