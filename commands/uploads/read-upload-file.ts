import { isUtf8 } from "node:buffer";
import { constants, createGunzip } from "node:zlib";
import { largestFile, largestInflated } from "../../domain/uploads/upload-limits.ts";

/** A file as it was sent. */
export interface SentFile {
  readonly bytes: Uint8Array;
  /** Null when the part named none. */
  readonly fileName: string | null;
}

export type ReadFile =
  /** `pieces` can be called again: each call reads the file from its start, so that it is never in memory whole. */
  | { readonly outcome: "readable"; pieces(): AsyncIterable<Buffer> }
  | { readonly outcome: "unreadable"; readonly fault: string };

const pieceBytes = 64 * 1024;
const gzipMagic = [0x1f, 0x8b];

/**
 * A file's bytes as UTF-8, inflated when they are gzip: by their first two bytes, whatever the file is called (D8.1).
 * A file that is too large, damaged or not UTF-8 is unreadable (D8.2, D8.3). A gzip of several members is all of them.
 */
export async function readUploadFile({ bytes, fileName }: SentFile): Promise<ReadFile> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isGzip = gzipMagic.every((byte, index) => file[index] === byte);
  if (file.length > largestFile) {
    return unreadable(`is ${counted(file.length)} bytes large: at most ${counted(largestFile)} are taken`);
  }
  if (!isGzip && fileName?.toLowerCase().endsWith(".gz")) return unreadable("is called .gz and is not gzip");
  const pieces = isGzip ? () => inflate(file) : () => cut(file);
  const fault = await faultOf(pieces());
  return fault === null ? { outcome: "readable", pieces } : unreadable(fault);
}

/** Reads it all once before a row of it is looked at: what is wrong with the whole file is known early and in full. */
async function faultOf(pieces: AsyncIterable<Buffer>): Promise<string | null> {
  let length = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of pieces) {
      length += piece.length;
      if (length > largestInflated) return `is more than ${counted(largestInflated)} bytes large when inflated`;
      const text = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      const end = endOfCharacters(text);
      if (!isUtf8(text.subarray(0, end))) return notUtf8;
      rest = Buffer.from(text.subarray(end));
    }
  } catch (failure) {
    const fault = faultOfInflating(failure);
    if (fault === null) throw failure;
    return fault;
  }
  return rest.length === 0 ? null : notUtf8;
}

const notUtf8 = "is not UTF-8";

/** Where the last character begins when its bytes are not all there yet, else the end. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

async function* cut(file: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < file.length; start += pieceBytes) yield file.subarray(start, start + pieceBytes);
}

/** Inflated by zlib's own threads, a piece at a time; leaving the loop early ends it. */
async function* inflate(file: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  gunzip.end(file);
  yield* gunzip;
}

/** Null for what is no fault of the file. */
function faultOfInflating(failure: unknown): string | null {
  const code = failure instanceof Error && "errno" in failure ? failure.errno : null;
  if (code === constants.Z_BUF_ERROR) return "is gzip that ends too early";
  return code === constants.Z_DATA_ERROR ? "is gzip that is damaged" : null;
}

function counted(count: number): string {
  return count.toLocaleString("en");
}

function unreadable(fault: string): ReadFile {
  return { outcome: "unreadable", fault };
}
