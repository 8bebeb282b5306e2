import type { Request } from "express";

/** Bytes of a file, `last` inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The range of a file that a GET requests (RFC 9110, 14); null for the whole file: without a range, with several or a
 * malformed one, with other units, and when `If-Range` names another file. `unsatisfiable`: the range begins after the
 * end. Hand-written: `range-parser` finds suffixes that are longer than the file, and other units, unsatisfiable.
 * @param size bytes of the file
 */
export function requestedRange(
  { method, headers }: Pick<Request, "method" | "headers">,
  size: number,
  etag: string,
): ByteRange | "unsatisfiable" | null {
  const ifRange = headers["if-range"];
  if (method !== "GET" || (ifRange !== undefined && ifRange !== etag)) return null;
  const [, from = "", to = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.range ?? "") ?? [];
  if (from === "" && to === "") return null;
  if (from !== "" && to !== "" && Number(to) < Number(from)) return null;
  const first = from === "" ? Math.max(size - Number(to), 0) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? { first, last } : "unsatisfiable";
}
