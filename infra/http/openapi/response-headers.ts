const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

/** The headers that responses may have, as components of the document. */
export const headerComponents = {
  RequestId: { description: "The id of the request.", schema: { type: "string", format: "uuid" } },
  LogPosition: {
    description:
      "The log position of the last event that the call wrote, or of what it found already stored; else absent.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  RateLimitLimit: { description: "The number of calls that a full bucket allows.", schema: integer },
  RateLimitRemaining: { description: "The number of calls that are left in the bucket.", schema: integer },
  RateLimitReset: { description: "Seconds until the bucket is full.", schema: integer },
  RetryAfter: { description: "Seconds to wait before the call is repeated.", schema: integer },
  IdempotentReplayed: { description: "`true` when the response of an earlier call is sent again.", schema: text },
  ETag: {
    description: "The version of the content, for `If-None-Match`; that of an export's file, for `If-Range`.",
    schema: text,
  },
  ReprDigest: { description: "The SHA-256 of the whole content (RFC 9530).", schema: text },
  AcceptRanges: { description: "`bytes` if `Range` can request a part of the content, else `none`.", schema: text },
  ContentRange: { description: "Which part of the content this is, or the length of the whole.", schema: text },
  WwwAuthenticate: { description: "`Bearer`.", schema: text },
  ContentDisposition: { description: "The name under which a browser saves the content.", schema: text },
  RowCount: { description: "The number of rows of the whole file.", schema: integer },
  AsOfPosition: {
    description: "The log position as of which the rows are.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  Deprecation: { description: "Since when the operation is deprecated (RFC 9745).", schema: text },
  Link: { description: "The operation that replaces a deprecated one.", schema: text },
} as const;

const componentOf = {
  "X-Request-Id": "RequestId",
  "X-Log-Position": "LogPosition",
  "RateLimit-Limit": "RateLimitLimit",
  "RateLimit-Remaining": "RateLimitRemaining",
  "RateLimit-Reset": "RateLimitReset",
  "Retry-After": "RetryAfter",
  "Idempotent-Replayed": "IdempotentReplayed",
  ETag: "ETag",
  "Repr-Digest": "ReprDigest",
  "Accept-Ranges": "AcceptRanges",
  "Content-Range": "ContentRange",
  "WWW-Authenticate": "WwwAuthenticate",
  "Content-Disposition": "ContentDisposition",
  "X-Row-Count": "RowCount",
  "X-As-Of-Position": "AsOfPosition",
  Deprecation: "Deprecation",
  Link: "Link",
} as const satisfies { readonly [name: string]: keyof typeof headerComponents };

export type HeaderName = keyof typeof componentOf;

/** The headers of a response, as references to the components. */
export function headersOf(names: readonly HeaderName[]): { readonly [name: string]: object } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentOf[name]}` }]));
}

/** Those of these headers that the document describes. */
export function describedHeaders(headers: { readonly [name: string]: string } = {}): readonly HeaderName[] {
  return Object.keys(headers).filter((name): name is HeaderName => Object.hasOwn(componentOf, name));
}
