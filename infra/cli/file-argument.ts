import { readFile, stat } from "node:fs/promises";
import { errorCode } from "../data-directory/files.ts";

/** A file that an argument names cannot be used; the message has the reason. */
export class FileUnusable extends Error {
  override readonly name = "FileUnusable";
}

/**
 * Reads the file that an argument names.
 * @param maxBytes of the file
 * @param what the file is, for the message
 * @throws {FileUnusable}
 */
export async function readFileArgument(path: string, maxBytes: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new FileUnusable(`${path} is not a file.`);
    if (found.size > maxBytes) throw new FileUnusable(`${path} is larger than any ${what} may be.`);
    return new Uint8Array(await readFile(path));
  } catch (failure) {
    if (failure instanceof FileUnusable) throw failure;
    const code = errorCode(failure) ?? failure;
    throw new FileUnusable(code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}

/** @throws {FileUnusable} when it is larger than `maxBytes` */
export async function readStandardInput(maxBytes: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw new FileUnusable(`Standard input is larger than any ${what} may be.`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
