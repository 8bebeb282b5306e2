import { setImmediate as nextTurn } from "node:timers/promises";
import { Busboy } from "@fastify/busboy";

/** A part with a file name, or of type `application/octet-stream`. */
export interface FilePart {
  /** Name of the form's field; null when there is none. */
  readonly field: string | null;
  /** Without directories; null when there is none. */
  readonly fileName: string | null;
  readonly bytes: Buffer;
}

export interface FieldPart {
  readonly field: string | null;
  readonly value: string;
  /** Whether the value was longer than the limit, and was cut. */
  readonly truncated: boolean;
}

export interface Parts {
  readonly files: readonly FilePart[];
  readonly fields: readonly FieldPart[];
}

export interface PartLimits {
  readonly parts: number;
  /** Maximum bytes of a field that is no file. */
  readonly fieldBytes: number;
}

/** Maximum bytes of a part's headers; the rest is dropped. Fits a file name of 256 characters in any encoding. */
const headerBytes = 8 * 1024;
const headerPairs = 32;

const boundaryParameter = /;\s*boundary=(?:"([0-9a-z'()+_,./:=? -]{1,70})"|([0-9a-z'()+_,./:=?-]{1,70}))\s*(?:;|$)/i;

/** The boundary of a `multipart/form-data` content type (RFC 2046, 5.1.1); null for any other. */
export function multipartBoundary(contentType: string | undefined): string | null {
  if (contentType === undefined || !/^\s*multipart\/form-data\s*;/i.test(contentType)) return null;
  const [, quoted, plain] = boundaryParameter.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

/** The parts of a body. A part that cannot be parsed makes the whole body malformed. */
export async function parseMultipart(
  body: Buffer,
  boundary: string,
  limits: PartLimits,
): Promise<Parts | "malformed" | "too_many_parts"> {
  const delimiters = countDelimiters(body, boundary, limits.parts + 2);
  if (delimiters > limits.parts + 1) return "too_many_parts";
  const parts = await readParts(body, boundary, limits);
  // The parser skips parts without a disposition or with broken headers.
  return parts !== null && parts.files.length + parts.fields.length === delimiters - 1 ? parts : "malformed";
}

/** The number of delimiter lines in a body, including the closing one; counts up to `max`. */
function countDelimiters(body: Buffer, boundary: string, max: number): number {
  const first = `--${boundary}`;
  const delimiter = Buffer.from(`\r\n${first}`);
  const startsWithOne = body.length >= first.length && body.toString("latin1", 0, first.length) === first;
  let count = startsWithOne ? 1 : 0;
  let at = startsWithOne ? first.length : 0;
  for (at = body.indexOf(delimiter, at); at !== -1 && count < max; at = body.indexOf(delimiter, at)) {
    count += 1;
    at += delimiter.length;
  }
  return count;
}

/** Null when the closing delimiter is missing, or the parser fails. */
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
  // The parser has the whole body and only waits for ticks: if it has not finished by the next turn, it never will.
  await nextTurn();
  if (hasFailed || !isFinished) return null;
  return { files: files.map(({ chunks, ...file }) => ({ ...file, bytes: joined(chunks) })), fields };
}

/** Copies only files with more than one chunk; the others are views of the body. */
function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
