import { isUtf8 } from "node:buffer";
import { constants, createGunzip } from "node:zlib";
import { largestFile, largestInflated } from "../../domain/uploads/upload-limits.ts";

/** A file as it was sent. */
export interface SentFile {
  readonly bytes: Uint8Array;
  /** Null when the part named none. */
  readonly fileName: string | null;
}

/** A file cannot be read, or not to its end: the message says why, to the person who sent it. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

const pieceBytes = 64 * 1024;
const gzipMagic = [0x1f, 0x8b];

/**
 * A file's bytes as UTF-8, piece by piece, inflated when they are gzip: by their first two bytes, whatever the file is
 * called (contract/uploads.md#sending). A gzip of several members is all of them.
 * @throws {UnreadableFile} where the file is too large, damaged or not UTF-8 (contract/uploads.md#limits,
 * contract/uploads.md#format)
 */
export async function* readUploadFile({ bytes, fileName }: SentFile): AsyncGenerator<Buffer> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isGzip = gzipMagic.every((byte, index) => file[index] === byte);
  if (file.length > largestFile) {
    throw new UnreadableFile(`is ${counted(file.length)} bytes large: at most ${counted(largestFile)} are taken`);
  }
  if (!isGzip && fileName?.toLowerCase().endsWith(".gz")) throw new UnreadableFile("is called .gz and is not gzip");

  let length = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of isGzip ? inflate(file) : cut(file)) {
    length += piece.length;
    if (length > largestInflated) {
      throw new UnreadableFile(`is more than ${counted(largestInflated)} bytes large when inflated`);
    }
    const text = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = endOfCharacters(text);
    if (!isUtf8(text.subarray(0, end))) throw new UnreadableFile(notUtf8);
    rest = Buffer.from(text.subarray(end));
    yield piece;
  }
  if (rest.length > 0) throw new UnreadableFile(notUtf8);
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
  try {
    yield* gunzip;
  } catch (failure) {
    const code = failure instanceof Error && "errno" in failure ? failure.errno : null;
    if (code === constants.Z_BUF_ERROR) throw new UnreadableFile("is gzip that ends too early");
    if (code === constants.Z_DATA_ERROR) throw new UnreadableFile("is gzip that is damaged");
    throw failure;
  }
}

function counted(count: number): string {
  return count.toLocaleString("en");
}
