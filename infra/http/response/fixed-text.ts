import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, RequestHandler } from "express";
import { isShortEnoughToParse } from "../request/header-text.ts";
import { endWith, namesEntityTag } from "./write-response.ts";

/** Two thirds of gzip's size in a third of a second. Quality 11 takes six times as long and saves another tenth. */
const brotliQuality = 9;

/** Compressions in another thread. */
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;

type Encoding = keyof typeof encoders;

/**
 * Serves a text that does not change while the process runs, with its `ETag`, compressed with Brotli or gzip for
 * clients that accept one of them. The text is made at the first request, and each encoding at its first request.
 * @param cacheControl by default clients revalidate the text each time
 */
export function fixedText(textOf: () => string, mediaType: string, cacheControl = "public, no-cache"): RequestHandler {
  let made: Made | null = null;
  return async (request, response) => {
    made ??= makeOf(textOf());
    const { bytes, etag, encoded } = made;
    const encoding = encodingFor(request);
    const compressed = encoding === null ? null : await encoded(encoding);
    response.setHeader("ETag", compressed === null ? etag : `W/${etag}`);
    response.setHeader("Cache-Control", cacheControl);
    response.setHeader("Vary", "Accept-Encoding");
    if (namesEntityTag(request.headers["if-none-match"], etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const body = compressed ?? bytes;
    response.setHeader("Content-Type", mediaType);
    if (encoding !== null && compressed !== null) response.setHeader("Content-Encoding", encoding);
    endWith(response, body);
  };
}

interface Made {
  readonly bytes: Buffer;
  readonly etag: string;
  /** Null when memory was insufficient. */
  encoded(encoding: Encoding): Promise<Buffer | null>;
}

function makeOf(text: string): Made {
  const bytes = Buffer.from(text);
  const bodies: { [encoding in Encoding]?: Promise<Buffer | null> } = {};
  return {
    bytes,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
    encoded: (encoding) => {
      bodies[encoding] ??= encoders[encoding](bytes).catch(() => null);
      return bodies[encoding];
    },
  };
}

/** Brotli if the client accepts it, whatever its order of preference; none for an `Accept-Encoding` that is too long. */
function encodingFor(request: Request): Encoding | null {
  if (!isShortEnoughToParse(request.headers["accept-encoding"] ?? "")) return null;
  if (request.acceptsEncodings("br") === "br") return "br";
  return request.acceptsEncodings("gzip", "identity") === "gzip" ? "gzip" : null;
}
