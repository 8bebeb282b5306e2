import { readFile, stat } from "node:fs/promises";

/** A file that a command was given cannot be used; the message says why. */
export class FileUnusable extends Error {
  override readonly name = "FileUnusable";
}

/**
 * The bytes of a file that a command was given.
 * @param most bytes
 * @param what the file is, for the message
 * @throws {FileUnusable}
 */
export async function readGivenFile(path: string, most: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new FileUnusable(`${path} is not a file.`);
    if (found.size > most) throw new FileUnusable(`${path} is larger than any ${what} may be.`);
    return new Uint8Array(await readFile(path));
  } catch (failure) {
    if (failure instanceof FileUnusable) throw failure;
    const code = failure instanceof Error && "code" in failure ? failure.code : failure;
    throw new FileUnusable(code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}
