import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { bodyTooLarge, type Problem, problems } from "../response/problem.ts";
import type { BodyGate } from "./body-gate.ts";
import { isShortEnoughToParse } from "./header-text.ts";

export interface BodyLimits {
  /** Bytes, inflated. */
  readonly limit: number;
  readonly gzip: boolean;
  /** Accepted media type; absent: any. */
  readonly mediaType?: "json" | "json or text";
  /** Counts bytes in memory, as sent and inflated; false: the process holds too many (503). */
  readonly hold?: BodyGate["hold"];
}

export type ReadBody =
  | { readonly outcome: "read"; readonly bytes: Buffer }
  /** `bytes` as sent; null when there were too many. */
  | { readonly outcome: "refused"; readonly problem: Problem; readonly bytes: Buffer | null };

/** The client disconnected before the exchange was complete. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
}

/**
 * Reads a body of at most `limit` bytes before and after inflating (413), then checks its encoding and media type (415)
 * and whether it could be inflated (400); contract/http.md#statuses. An absent body is empty. raw-body is not used, as it
 * stops reading a body that is too large, so that the client does not read the response.
 * @throws {ClientDisconnected}
 */
export async function readBody(
  request: IncomingMessage,
  { limit, gzip, mediaType, hold = () => true }: BodyLimits,
): Promise<ReadBody> {
  const body = await collect(request, limit, hold);
  if (body === "too_large") return refused(bodyTooLarge(limit), null);
  if (body === "overloaded") return refused(problems.overloaded, null);
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const isZipped = encoding === "gzip" && gzip;
  const inflated = isZipped ? await inflate(body, limit, hold) : body;
  if (inflated === "too_large") return refused(bodyTooLarge(limit), body);
  if (inflated === "overloaded") return refused(problems.overloaded, null);
  if (!isZipped && encoding !== "" && encoding !== "identity" && body.length > 0) {
    return refused(problems.unsupportedContentEncoding, body);
  }
  const other = mediaType === "json or text" ? "text/plain" : undefined;
  if (mediaType !== undefined && body.length > 0 && !isJsonOr(request.headers["content-type"], other)) {
    return refused(problems.unsupportedMediaType, body);
  }
  return inflated === "invalid" ? refused(problems.invalidGzip, body) : { outcome: "read", bytes: inflated };
}

/** A missing `Content-Type` is read as JSON; too long a one is another type (contract/http.md#media-types). */
function isJsonOr(contentType: string | undefined, other?: string): boolean {
  if (contentType === undefined || contentType === "application/json" || contentType.trim() === "") return true;
  if (!isShortEnoughToParse(contentType)) return false;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  if (type !== "application/json" && type !== other) return false;
  return parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
}

function collect(
  request: IncomingMessage,
  limit: number,
  hold: BodyGate["hold"],
): Promise<Buffer | "too_large" | "overloaded"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too_large");
  return new Promise((resolve, reject) => {
    // A destroyed request emits neither `error` nor `close`.
    if (request.destroyed) reject(new ClientDisconnected());
    const body = collectedBytes();
    let length = 0;
    let isDropping = false;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (!isDropping && length <= limit && hold(chunk.length)) {
        body.add(chunk);
        return;
      }
      // The rest is read and dropped, so that the client reads the response.
      isDropping = true;
      body.take();
      resolve(length > limit ? "too_large" : "overloaded");
    });
    // The request keeps its listeners, which must not keep the body.
    request.on("end", () => resolve(body.take()));
    request.on("error", () => reject(new ClientDisconnected()));
    // Every request closes; this saves the error and its stack for one that was read to its end.
    request.on("close", () => {
      if (!request.readableEnded) reject(new ClientDisconnected());
    });
  });
}

/** Collects chunks in one buffer: a client may send chunks of one byte, which take 450 bytes each as they come. */
function collectedBytes() {
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add: (chunk: Buffer): void => {
      if (length === 0) {
        bytes = chunk;
      } else {
        if (length + chunk.length > bytes.length) {
          const larger = Buffer.allocUnsafeSlow(Math.max(length + chunk.length, 2 * bytes.length));
          bytes.copy(larger, 0, 0, length);
          bytes = larger;
        }
        chunk.copy(bytes, length);
      }
      length += chunk.length;
    },
    /** The bytes so far; they are not kept. */
    take: (): Buffer => {
      const taken = bytes.subarray(0, length);
      bytes = Buffer.alloc(0);
      length = 0;
      return taken;
    },
  };
}

/** Counts each piece before the next one is inflated: a thousand times as many bytes may come out as were sent. */
async function inflate(
  bytes: Buffer,
  limit: number,
  hold: BodyGate["hold"],
): Promise<Buffer | "too_large" | "overloaded" | "invalid"> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of createGunzip().end(bytes) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > limit) return "too_large";
      if (!hold(piece.length)) return "overloaded";
      pieces.push(piece);
    }
  } catch {
    return "invalid";
  }
  return Buffer.concat(pieces);
}

function refused(problem: Problem, bytes: Buffer | null): ReadBody {
  return { outcome: "refused", problem, bytes };
}
