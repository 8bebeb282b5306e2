import type { Request } from "express";

/** Whether a request is recorded: a GET that is not a prefetch (contract/tracking-links.md#opening). */
export function isCounted(request: Request): boolean {
  return request.method === "GET" && !isPrefetch(request);
}

/** Whether the headers of a request declare a prefetch or preview (contract/tracking-links.md#opening). */
export function isPrefetch({ headers }: Request): boolean {
  return (
    contains(headers["sec-purpose"], "prefetch") ||
    contains(headers.purpose, "prefetch") ||
    contains(headers["x-moz"], "prefetch") ||
    contains(headers["x-purpose"], "preview") ||
    contains(headers.purpose, "preview")
  );
}

function contains(header: string | string[] | undefined, word: string): boolean {
  return header?.toString().toLowerCase().includes(word) ?? false;
}
