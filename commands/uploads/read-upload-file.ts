import { isUtf8 } from "node:buffer";
import { constants, createGunzip } from "node:zlib";
import { type Fault, fault, type MessageParams } from "../../domain/fault.ts";

export interface SentFile {
  readonly bytes: Uint8Array;
  /** Null when the part has none. */
  readonly fileName: string | null;
}

/** A file cannot be read completely. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  readonly fault: Fault;
  constructor(code: string, params?: MessageParams) {
    super(code);
    this.fault = fault(code, [], params);
  }
}

/** Maximum bytes of a file as sent (contract/uploads.md#limits). */
const maxBytes = 1_048_576;
/**
 * Maximum bytes of an inflated file (contract/uploads.md#limits): fits 10,000 rows with every column filled, and bounds
 * the memory and time for a small file.
 */
const maxInflatedBytes = 32 * 1024 * 1024;
const pieceBytes = 64 * 1024;
const gzipMagic = [0x1f, 0x8b];
/** Of a zip file, which an Excel workbook (.xlsx) is. */
const zipMagic = [0x50, 0x4b, 0x03, 0x04];

/**
 * A file's bytes as UTF-8, in pieces; inflated when it starts with the magic number of gzip, whatever its name
 * (contract/uploads.md#sending). All members of a gzip are read.
 * @throws {UnreadableFile} where the file is too large, damaged, a workbook or not UTF-8 (contract/uploads.md#limits,
 * contract/uploads.md#format)
 */
export async function* readUploadFile({ bytes, fileName }: SentFile): AsyncGenerator<Buffer> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const startsWith = (magic: readonly number[]) => magic.every((byte, index) => file[index] === byte);
  const isGzip = startsWith(gzipMagic);
  if (startsWith(zipMagic)) throw new UnreadableFile("file.workbook");
  if (file.length > maxBytes) throw new UnreadableFile("file.too_large", { size: file.length, limit: maxBytes });
  if (!isGzip && fileName?.toLowerCase().endsWith(".gz")) throw new UnreadableFile("file.not_gzip");

  let length = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of isGzip ? inflate(file) : cut(file)) {
    length += piece.length;
    if (length > maxInflatedBytes) throw new UnreadableFile("file.too_large_inflated", { limit: maxInflatedBytes });
    const text = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = endOfCharacters(text);
    if (!isUtf8(text.subarray(0, end))) throw new UnreadableFile("file.not_utf8");
    rest = Buffer.from(text.subarray(end));
    yield piece;
  }
  if (rest.length > 0) throw new UnreadableFile("file.not_utf8");
}

/** The index of an incomplete last character, else the length. */
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

/** Inflates in zlib's threads, one piece at a time; leaving the loop early stops it. */
async function* inflate(file: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  gunzip.end(file);
  try {
    yield* gunzip;
  } catch (failure) {
    const code = failure instanceof Error && "errno" in failure ? failure.errno : null;
    if (code === constants.Z_BUF_ERROR) throw new UnreadableFile("file.gzip_truncated");
    if (code === constants.Z_DATA_ERROR) throw new UnreadableFile("file.gzip_damaged");
    throw failure;
  }
}
