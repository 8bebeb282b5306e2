import { type FileHandle, open, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { DataDirectoryUnusable } from "./data-directory.ts";
import { errorCode } from "./files.ts";

const fileName = "data.mdb";

/** An LMDB environment whose file may be damaged. */
export interface LmdbFile {
  readonly directory: string;
  /** Reads the whole file in a separate process, which damage may crash. Returns null, or why it cannot be read. */
  unreadable(): Promise<string | null>;
  /** The error for a damaged file, which names the file and what to do. */
  damaged(reason: string): DataDirectoryUnusable;
}

/** The parts of LMDB's two meta pages that are read, and their offsets. */
const metaLength = 160;
const magicAt = 24;
const pageSizeAt = 48;
/** The roots of the trees of free pages and of databases, which every transaction writes anew. */
const rootsAt = [88, 136];
const noPage = 2n ** 64n - 1n;
const lastPageAt = 144;
const transactionAt = 152;
const magic = 0xbeefc0de;

/**
 * Refuses a file that was cut short: LMDB maps it, and the process that touches a missing page ends with SIGBUS. Changes
 * nothing, so that another process may have it open.
 * @throws {DataDirectoryUnusable}
 */
export async function requireWhole(lmdb: LmdbFile): Promise<void> {
  await lengthOfWhole(lmdb, "r");
}

/**
 * As {@link requireWhole}, and extends the file to its full length if LMDB has left out free pages at the end. The
 * caller holds the lock of the directory. Also fails when this user may not write the file.
 */
export async function makeWhole(lmdb: LmdbFile): Promise<void> {
  const length = await lengthOfWhole(lmdb, "r+");
  if (length !== null) await truncate(join(lmdb.directory, fileName), length);
}

/**
 * The full length of a file that lacks free pages at its end; null for a complete file.
 * @throws {DataDirectoryUnusable} when pages in use are missing
 */
async function lengthOfWhole(lmdb: LmdbFile, flags: "r" | "r+"): Promise<number | null> {
  const file = await openIfThere(join(lmdb.directory, fileName), flags);
  if (file === null) return null;
  try {
    const lengths = await lengthsByHeader(file);
    if (lengths === null) throw lmdb.damaged("has no header");
    const { length, minimum } = lengths;
    const { size } = await file.stat();
    if (length <= size) return null;
    // LMDB may leave out free pages at the end. A separate process finds out whether pages in use are missing.
    if (minimum <= size && (await lmdb.unreadable()) === null) return length;
    throw lmdb.damaged(`ends after ${size} of ${length} bytes`);
  } finally {
    await file.close();
  }
}

/**
 * The full and the minimum length of the file according to its meta pages; null without them. An empty file is a new
 * one.
 */
async function lengthsByHeader(file: FileHandle) {
  const first = await metaPage(file, 0);
  if (first.length === 0) return { length: 0, minimum: 0 };
  const pageSize = first.length === metaLength ? first.readUInt32LE(pageSizeAt) : 0;
  const second = await metaPage(file, pageSize);
  if (second.length < metaLength || [first, second].some((page) => page.readUInt32LE(magicAt) !== magic)) return null;
  const transactionOf = (page: Buffer): bigint => page.readBigUInt64LE(transactionAt);
  const latest = transactionOf(second) > transactionOf(first) ? second : first;
  const endOf = (page: bigint): number => (Number(page) + 1) * pageSize;
  const roots = rootsAt.map((at) => latest.readBigUInt64LE(at)).filter((root) => root !== noPage);
  return { length: endOf(latest.readBigUInt64LE(lastPageAt)), minimum: Math.max(0, ...roots.map(endOf)) };
}

async function metaPage(file: FileHandle, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(metaLength), 0, metaLength, position);
  return buffer.subarray(0, bytesRead);
}

async function openIfThere(path: string, flags: "r" | "r+"): Promise<FileHandle | null> {
  return open(path, flags).catch((failure: unknown) => {
    if (errorCode(failure) === "ENOENT") return null;
    throw failure;
  });
}
