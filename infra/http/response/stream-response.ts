import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import { languageOf, setContentLanguage } from "../i18n/content-language.ts";
import { ClientDisconnected } from "../request/read-body.ts";
import type { Reply } from "../routing/route.ts";
import { cutStalledReader } from "./stalled-readers.ts";

type Piece = string | Uint8Array;
type StreamedReply = Extract<Reply, { readonly kind: "streamed" }>;

/**
 * Writes a body piece by piece, no faster than the client reads. A failure after the first piece closes the connection.
 * @throws {ClientDisconnected}
 */
export async function streamReply(
  request: Request,
  response: Response,
  reply: StreamedReply,
  maxStallMs?: number,
): Promise<void> {
  const pieces = reply.pieces[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (response.destroyed) {
    await pieces.return?.();
    throw new ClientDisconnected();
  }
  response.statusCode = reply.status ?? 200;
  response.setHeader("Cache-Control", "no-store");
  setContentLanguage(response, languageOf(request));
  for (const name in reply.headers) response.setHeader(name, reply.headers[name] ?? "");
  response.setHeader("Content-Type", reply.mediaType);
  if (request.method === "HEAD") {
    await pieces.return?.();
    response.end();
    return;
  }
  cutStalledReader(response, maxStallMs);
  try {
    // At most one piece is prepared while another is being sent.
    await pipeline(Readable.from(startingWith(first, pieces), { highWaterMark: 1 }), response);
  } catch (failure) {
    throw isDisconnect(failure) ? new ClientDisconnected() : failure;
  }
}

async function* startingWith(first: IteratorResult<Piece>, rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  try {
    for (let piece = first; piece.done !== true; piece = await rest.next()) yield piece.value;
  } finally {
    await rest.return?.();
  }
}

function isDisconnect(failure: unknown): boolean {
  return failure instanceof Error && "code" in failure && failure.code === "ERR_STREAM_PREMATURE_CLOSE";
}
