import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type Problem, problems } from "../response/problem.ts";

const inflate = promisify(gunzip);

export interface BodyLimits {
  /** Bytes, inflated. */
  readonly limit: number;
  readonly gzip: boolean;
  /** Which media types are taken; absent: any, the caller looks at it. */
  readonly mediaType?: "json";
}

export type ReadBody =
  | { readonly outcome: "read"; readonly bytes: Buffer }
  /** `bytes` as sent; null when they were too many. */
  | { readonly outcome: "refused"; readonly problem: Problem; readonly bytes: Buffer | null };

/** The caller hung up before the body was complete: nobody is left to answer. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/**
 * Reads a body, chunked or with a length, at most `limit` bytes before and after inflating (contract/http.md#statuses:
 * 413), then looks at its encoding and media type (415). An absent body is empty.
 * @throws {CallerGone}
 */
export async function readBody(request: IncomingMessage, { limit, gzip, mediaType }: BodyLimits): Promise<ReadBody> {
  const sent = await collect(request, limit);
  if (sent === "too_large") return refused(problems.payloadTooLarge, null);
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  let bytes = sent;
  if (encoding === "gzip" && gzip) {
    const inflated = await inflateWithin(sent, limit);
    if (!Buffer.isBuffer(inflated)) return refused(inflated, sent);
    bytes = inflated;
  } else if (encoding !== "" && encoding !== "identity" && sent.length > 0) {
    return refused(problems.unsupportedContentEncoding, sent);
  }
  if (mediaType === "json" && sent.length > 0 && !isJson(request.headers["content-type"])) {
    return refused(problems.unsupportedMediaType, sent);
  }
  return { outcome: "read", bytes };
}

/** A missing `Content-Type` is read as JSON (contract/http.md#media-types). */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "application/json" || contentType.trim() === "") return true;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  if (type !== "application/json") return false;
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer | "too_large"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too_large");
  return new Promise((resolve, reject) => {
    // Who has hung up before is not heard to: neither "error" nor "close" come again.
    if (request.destroyed) reject(new CallerGone());
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        // What is still to come is read and dropped, so that the caller gets to the answer.
        chunks.length = 0;
        resolve("too_large");
      }
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", () => reject(new CallerGone()));
    // Every request closes; of one that was read to its end an error with its stack would be made for nothing.
    request.on("close", () => {
      if (!request.readableEnded) reject(new CallerGone());
    });
  });
}

async function inflateWithin(bytes: Buffer, limit: number): Promise<Buffer | Problem> {
  try {
    return await inflate(bytes, { maxOutputLength: limit });
  } catch (failure) {
    const code = failure instanceof Error && "code" in failure ? failure.code : null;
    return code === "ERR_BUFFER_TOO_LARGE" ? problems.payloadTooLarge : problems.invalidGzip;
  }
}

function refused(problem: Problem, bytes: Buffer | null): ReadBody {
  return { outcome: "refused", problem, bytes };
}
