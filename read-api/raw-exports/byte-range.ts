import type { Request } from "express";

/** Bytes of a file, `last` inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The bytes of a file that a request asks for (RFC 9110, Range): one range is honoured; several, and one that
 * `If-Range` wants of another file, are as if none was asked. `unsatisfiable`: it lies behind the end.
 * @param size bytes of the file
 */
export function askedRange(request: Request, size: number, etag: string): ByteRange | "unsatisfiable" | null {
  const ifRange = request.headers["if-range"];
  if (ifRange !== undefined && ifRange !== etag) return null;
  const ranges = request.range(size);
  if (ranges === undefined || ranges === -2) return null;
  if (ranges === -1) return "unsatisfiable";
  const [range] = ranges;
  if (ranges.type !== "bytes" || ranges.length !== 1 || range === undefined) return null;
  return { first: range.start, last: range.end };
}
