import type { Request } from "express";

/**
 * Whether a person asks for a page: what only looks ahead, and `HEAD`, never counts
 * (contract/tracking-links.md#opening).
 */
export function isCounted(request: Request): boolean {
  return request.method === "GET" && !isPrefetch(request);
}

/**
 * Whether a request says that it is a prefetch or a preview, whatever its method (contract/tracking-links.md#opening).
 */
export function isPrefetch({ headers }: Request): boolean {
  return (
    says(headers["sec-purpose"], "prefetch") ||
    says(headers.purpose, "prefetch") ||
    says(headers["x-moz"], "prefetch") ||
    says(headers["x-purpose"], "preview") ||
    says(headers.purpose, "preview")
  );
}

function says(header: string | string[] | undefined, word: string): boolean {
  return header?.toString().toLowerCase().includes(word) ?? false;
}
