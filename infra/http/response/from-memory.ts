import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzipSync } from "node:zlib";
import type { RequestHandler } from "express";
import { namesEntityTag } from "./write-response.ts";

const compressBrotli = promisify(brotliCompress);
/** Two thirds of gzip's bytes after a third of a second. Quality 11 takes six times as long for a tenth less. */
const brotliQuality = 9;

/**
 * Answers a text that does not change while the process runs, with its `ETag`, compressed with Brotli or gzip for clients
 * that take one of them. The first request with Brotli has it made in another thread; until it is there gzip is sent.
 * @param cacheControl by default clients ask each time whether they have the current text
 */
export function fromMemory(text: string, mediaType: string, cacheControl = "public, no-cache"): RequestHandler {
  const bytes = Buffer.from(text);
  const bodies: { readonly identity: Buffer; readonly gzip: Buffer; br?: Buffer } = {
    identity: bytes,
    gzip: gzipSync(bytes, { level: 9 }),
  };
  let isCompressing = false;
  const compress = async (): Promise<void> => {
    if (isCompressing) return;
    isCompressing = true;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    bodies.br = await compressBrotli(bytes, { params });
  };
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return (request, response) => {
    const takesBrotli = request.acceptsEncodings("br") === "br";
    // Without memory for it, gzip remains.
    if (takesBrotli) compress().catch(() => {});
    const takesGzip = request.acceptsEncodings("gzip", "identity") === "gzip";
    const encoding = takesBrotli && bodies.br !== undefined ? "br" : takesGzip ? "gzip" : "identity";
    const body = bodies[encoding] ?? bytes;
    const isCompressed = encoding !== "identity";
    response.setHeader("ETag", isCompressed ? `W/${etag}` : etag);
    response.setHeader("Cache-Control", cacheControl);
    response.setHeader("Vary", "Accept-Encoding");
    if (namesEntityTag(request.headers["if-none-match"], etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.setHeader("Content-Type", mediaType);
    if (isCompressed) response.setHeader("Content-Encoding", encoding);
    response.setHeader("Content-Length", body.length);
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
