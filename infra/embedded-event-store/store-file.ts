import { fork } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, truncate } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { errorCode } from "../data-directory/files.ts";

const FILE = "data.mdb";
const checkProgram = fileURLToPath(new URL("./check-store-child.js", import.meta.url));

/** What is read of LMDB's two meta pages, and where. */
const META_LENGTH = 160;
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
/** The roots of the trees of free pages and of databases, which every transaction writes anew. */
const ROOTS_AT = [88, 136];
const NO_PAGE = 2n ** 64n - 1n;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const MAGIC = 0xbeefc0de;

/**
 * Refuses a store whose file was cut short: LMDB maps the file, and the process that touches a missing page ends with
 * SIGBUS. Changes nothing, so that another process may run the store.
 * @throws {DataDirectoryUnusable}
 */
export async function requireWholeStore(directory: string): Promise<void> {
  await lengthOfWhole(directory);
}

/**
 * As {@link requireWholeStore}, and gives the file its whole length where LMDB left out free pages at the end. The caller
 * holds the lock of the directory.
 */
export async function makeStoreWhole(directory: string): Promise<void> {
  const length = await lengthOfWhole(directory);
  if (length !== null) await truncate(join(directory, FILE), length);
}

/** The length of which the file falls short though no page in use is missing; null when it does not. */
async function lengthOfWhole(directory: string): Promise<number | null> {
  const file = await openIfThere(join(directory, FILE));
  if (file === null) return null;
  try {
    const { length, minimum } = await lengthsByHeader(file, directory);
    const { size } = await file.stat();
    if (length <= size) return null;
    // LMDB may leave out free pages at the end. Whether pages in use are missing shows in a process that may die of it.
    if (minimum <= size && (await canBeRead(directory))) return length;
    throw unusable(directory, `ends after ${size} of ${length} bytes`);
  } finally {
    await file.close();
  }
}

/** By its meta pages: the length of the file with all of its pages, and that which it has at least. An empty file is a new one. */
async function lengthsByHeader(file: FileHandle, directory: string) {
  const first = await metaPage(file, 0);
  if (first.length === 0) return { length: 0, minimum: 0 };
  const pageSize = first.length === META_LENGTH ? first.readUInt32LE(PAGE_SIZE_AT) : 0;
  const second = await metaPage(file, pageSize);
  if (second.length < META_LENGTH || [first, second].some((page) => page.readUInt32LE(MAGIC_AT) !== MAGIC))
    throw unusable(directory, "has no header");
  const transactionOf = (page: Buffer): bigint => page.readBigUInt64LE(TRANSACTION_AT);
  const latest = transactionOf(second) > transactionOf(first) ? second : first;
  const endOf = (page: bigint): number => (Number(page) + 1) * pageSize;
  const roots = ROOTS_AT.map((at) => latest.readBigUInt64LE(at)).filter((root) => root !== NO_PAGE);
  return { length: endOf(latest.readBigUInt64LE(LAST_PAGE_AT)), minimum: Math.max(0, ...roots.map(endOf)) };
}

async function metaPage(file: FileHandle, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(META_LENGTH), 0, META_LENGTH, position);
  return buffer.subarray(0, bytesRead);
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  return open(path).catch((failure: unknown) => {
    if (errorCode(failure) === "ENOENT") return null;
    throw failure;
  });
}

/** Reads every event of the store in a process of its own. */
async function canBeRead(directory: string): Promise<boolean> {
  const child = fork(checkProgram, [directory], { stdio: "ignore", execArgv: [], env: {} });
  const [code] = await once(child, "exit");
  return code === 0;
}

function unusable(directory: string, reason: string): DataDirectoryUnusable {
  return new DataDirectoryUnusable(
    `The event store in ${directory} is damaged: its file ${reason}. Restore a backup into another DATA_DIR.`,
  );
}
