import type { Request } from "express";

/** Bytes of a file, `last` inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The bytes of a file that a GET asks for (RFC 9110, 14): one range is honoured; several, malformed ones, those of other
 * units, and one that `If-Range` wants of another file, are as if none was asked. `unsatisfiable`: it lies behind the
 * end. Hand-written: `range-parser` finds suffixes that are longer than the file, and other units, unsatisfiable.
 * @param size bytes of the file
 */
export function askedRange(
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
