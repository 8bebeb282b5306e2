import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RequestHandler } from "express";
import { namesEntityTag } from "./write-response.ts";

/**
 * Answers a text that does not change while the process runs, with its `ETag`, compressed for clients that take gzip.
 * @param cacheControl by default clients ask each time whether they have the current text
 */
export function fromMemory(text: string, mediaType: string, cacheControl = "public, no-cache"): RequestHandler {
  const bytes = Buffer.from(text);
  const compressed = gzipSync(bytes, { level: 9 });
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return (request, response) => {
    const isCompressed = request.acceptsEncodings("gzip", "identity") === "gzip";
    response.setHeader("ETag", isCompressed ? `W/${etag}` : etag);
    response.setHeader("Cache-Control", cacheControl);
    response.setHeader("Vary", "Accept-Encoding");
    if (namesEntityTag(request.headers["if-none-match"], etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const body = isCompressed ? compressed : bytes;
    response.setHeader("Content-Type", mediaType);
    if (isCompressed) response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Content-Length", body.length);
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
