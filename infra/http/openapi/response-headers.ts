const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

/** The headers that responses may have, as components of the document. */
export const headerComponents = {
  "X-Request-Id": { description: "The id of the request.", schema: { type: "string", format: "uuid" } },
  "X-Log-Position": {
    description:
      "The log position of the last event that the call wrote, or of what it found already stored; else absent.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  "RateLimit-Limit": { description: "The number of calls that a full bucket allows.", schema: integer },
  "RateLimit-Remaining": { description: "The number of calls that are left in the bucket.", schema: integer },
  "RateLimit-Reset": { description: "Seconds until the bucket is full.", schema: integer },
  "Retry-After": { description: "Seconds to wait before the call is repeated.", schema: integer },
  "Idempotent-Replayed": { description: "`true` when the response of an earlier call is sent again.", schema: text },
  ETag: {
    description: "The version of the content, for `If-None-Match`; that of an export's file, for `If-Range`.",
    schema: text,
  },
  "Repr-Digest": { description: "The SHA-256 of the whole content (RFC 9530).", schema: text },
  "Accept-Ranges": { description: "`bytes` if `Range` can request a part of the content, else `none`.", schema: text },
  "Content-Range": { description: "Which part of the content this is, or the length of the whole.", schema: text },
  "WWW-Authenticate": { description: "`Bearer`.", schema: text },
  "Content-Disposition": { description: "The name under which a browser saves the content.", schema: text },
  "X-Row-Count": { description: "The number of rows of the whole file.", schema: integer },
  "X-As-Of-Position": {
    description: "The log position as of which the rows are.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  Deprecation: { description: "Since when the operation is deprecated (RFC 9745).", schema: text },
  Link: { description: "The operation that replaces a deprecated one.", schema: text },
} as const;

export type HeaderName = keyof typeof headerComponents;

/** The headers of a response, as references to the components. */
export function headersOf(names: readonly HeaderName[]): { readonly [name: string]: object } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Those of these headers that the document describes. */
export function describedHeaders(headers: { readonly [name: string]: string } = {}): readonly HeaderName[] {
  return Object.keys(headers).filter((name): name is HeaderName => Object.hasOwn(headerComponents, name));
}
