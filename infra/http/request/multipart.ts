import { setImmediate as nextTurn } from "node:timers/promises";
import { Busboy } from "@fastify/busboy";

/** A part that is a file: one that names a file, or of type `application/octet-stream`. */
export interface FilePart {
  /** Name of the form's field; null when there is none. */
  readonly field: string | null;
  /** Without directories, however the sender spelled them; null when none is given. */
  readonly fileName: string | null;
  readonly bytes: Buffer;
}

export interface FieldPart {
  readonly field: string | null;
  readonly value: string;
  /** Whether it was longer than a field may be, and so is not all there. */
  readonly truncated: boolean;
}

export interface Parts {
  readonly files: readonly FilePart[];
  readonly fields: readonly FieldPart[];
}

export interface PartLimits {
  readonly parts: number;
  /** Bytes of one field that is no file. */
  readonly fieldBytes: number;
}

/** Bytes of a part's headers; more are dropped. A file's name of 256 characters fits, however it is spelled. */
const headerBytes = 8 * 1024;
const headerPairs = 32;

const boundaryParameter = /;\s*boundary=(?:"([0-9a-z'()+_,./:=? -]{1,70})"|([0-9a-z'()+_,./:=?-]{1,70}))\s*(?:;|$)/i;

/** The boundary of a `multipart/form-data` content type (RFC 2046, 5.1.1); null for any other. */
export function multipartBoundary(contentType: string | undefined): string | null {
  if (contentType === undefined || !/^\s*multipart\/form-data\s*;/i.test(contentType)) return null;
  const [, quoted, plain] = boundaryParameter.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

/**
 * The parts of a whole body, which costs no more than a copy of it. Nothing is passed over: a part that is not
 * understood makes all of it malformed.
 */
export async function parseMultipart(
  body: Buffer,
  boundary: string,
  limits: PartLimits,
): Promise<Parts | "malformed" | "too_many_parts"> {
  const delimiters = countDelimiters(body, boundary, limits.parts + 2);
  if (delimiters > limits.parts + 1) return "too_many_parts";
  const parts = await readParts(body, boundary, limits);
  // The parser is silent about parts without a disposition or with broken headers.
  return parts !== null && parts.files.length + parts.fields.length === delimiters - 1 ? parts : "malformed";
}

/** How often the delimiter line of a boundary stands in a body, the closing one among them; at most `most`. */
function countDelimiters(body: Buffer, boundary: string, most: number): number {
  const first = `--${boundary}`;
  const delimiter = Buffer.from(`\r\n${first}`);
  const startsWithOne = body.length >= first.length && body.toString("latin1", 0, first.length) === first;
  let count = startsWithOne ? 1 : 0;
  let at = startsWithOne ? first.length : 0;
  for (at = body.indexOf(delimiter, at); at !== -1 && count < most; at = body.indexOf(delimiter, at)) {
    count += 1;
    at += delimiter.length;
  }
  return count;
}

/** Null when the body ends before its closing delimiter, or makes the parser fail. */
async function readParts(body: Buffer, boundary: string, limits: PartLimits): Promise<Parts | null> {
  const files: { field: string | null; fileName: string | null; chunks: Buffer[] }[] = [];
  const fields: FieldPart[] = [];
  let isFinished = false;
  let hasFailed = false;
  const fail = (): void => {
    hasFailed = true;
  };
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    limits: { parts: limits.parts, fieldSize: limits.fieldBytes, headerPairs, headerSize: headerBytes },
  });
  parser.on("error", fail);
  parser.on("finish", () => {
    isFinished = true;
  });
  parser.on("file", (field: string | undefined, stream, fileName: string | undefined) => {
    const chunks: Buffer[] = [];
    files.push({ field: field ?? null, fileName: fileName ?? null, chunks });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", fail);
  });
  parser.on("field", (field: string | undefined, value, _fieldTruncated, truncated) => {
    fields.push({ field: field ?? null, value, truncated });
  });
  try {
    parser.end(body);
  } catch {
    return null;
  }
  // The body is all there, so that the parser works in ticks alone: what has not ended by the next turn never will.
  await nextTurn();
  if (hasFailed || !isFinished) return null;
  return { files: files.map(({ chunks, ...file }) => ({ ...file, bytes: joined(chunks) })), fields };
}

/** A file that holds nothing like a delimiter is one chunk, a view of the body. */
function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
