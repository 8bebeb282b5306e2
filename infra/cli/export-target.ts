import { createHash } from "node:crypto";
import { access, constants, type FileHandle, lstat, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Writable } from "node:stream";
import type { DownloadTarget } from "../../client/index.ts";
import { FileUnusable } from "./file-argument.ts";

/** Where an export is downloaded to. */
export interface ExportTarget extends DownloadTarget {
  /** For messages: its path, or "standard output". */
  readonly name: string;
  /** The download is complete: renames the file. */
  finish(): Promise<void>;
  /** Keeps the bytes received so far, to resume the download later. */
  close(): Promise<void>;
}

/**
 * Checks that a file can be written, before an export is requested for it.
 * @throws {FileUnusable} when it has no name, exists and must not be replaced, or its directory is not writable
 */
export async function checkExportFile(path: string, mayReplace: boolean): Promise<void> {
  if (path === "") throw new FileUnusable("--out is empty. Name a file, or - for standard output.");
  await checkReplaced(path, mayReplace);
  const directory = dirname(path);
  try {
    if (!(await stat(directory)).isDirectory()) throw new FileUnusable(`${directory} is not a directory.`);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (failure) {
    throw writeFault(directory, failure);
  }
}

/**
 * A target that writes to `<path>.<reportId>.part`, which is renamed to `path` when it is complete.
 * @throws {FileUnusable} here and from every call, when the file cannot be written
 */
export async function openExportFile(path: string, reportId: number, mayReplace: boolean): Promise<ExportTarget> {
  const part = join(dirname(path), `${basename(path)}.${reportId}.part`);
  const attempt = async <Done>(work: () => Promise<Done>): Promise<Done> => {
    try {
      return await work();
    } catch (failure) {
      throw writeFault(part, failure);
    }
  };
  const handle = await attempt(() => open(part, constants.O_RDWR | constants.O_CREAT, 0o666));
  let size = (await handle.stat()).size;
  return {
    name: path,
    size: () => size,
    write: (bytes) =>
      attempt(async () => {
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, size);
          done += bytesWritten;
          size += bytesWritten;
        }
      }),
    clear: () =>
      attempt(async () => {
        await handle.truncate(0);
        size = 0;
      }),
    sha256: () => attempt(() => sha256Of(handle)),
    finish: () =>
      attempt(async () => {
        await handle.sync();
        await handle.close();
        await checkReplaced(path, mayReplace);
        await rename(part, path);
      }),
    close: () =>
      attempt(async () => {
        await handle.close();
        if (size === 0) await rm(part, { force: true });
      }),
  };
}

/** Standard output, or a similar stream, as a target: it cannot be cleared. */
export function streamTarget(stream: Writable): ExportTarget {
  const hash = createHash("sha256");
  let size = 0;
  // Callers of write get the error; without a listener the event would end the process.
  stream.on("error", () => {});
  return {
    name: "standard output",
    size: () => size,
    write: async (bytes) => {
      await new Promise<void>((resolve, reject) => {
        stream.write(bytes, (failure) => (failure ? reject(writeFault("Standard output", failure)) : resolve()));
      });
      hash.update(bytes);
      size += bytes.length;
    },
    clear: null,
    sha256: async () => hash.copy().digest("hex"),
    finish: async () => {},
    close: async () => {},
  };
}

async function checkReplaced(path: string, mayReplace: boolean): Promise<void> {
  // Not what a link leads to: renaming would replace the link, such as /dev/stdout.
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!mayReplace) throw new FileUnusable(`${path} exists already; give --force to replace it.`);
  if (!found.isFile()) throw new FileUnusable(`${path} is not a file.`);
}

async function sha256Of(handle: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of handle.createReadStream({ start: 0, autoClose: false })) hash.update(piece);
  return hash.digest("hex");
}

const reasons: { readonly [code: string]: string } = {
  EACCES: "may not be written",
  EDQUOT: "cannot grow: the quota of the disk is used up",
  EFBIG: "cannot grow: it is as large as a file may be",
  EISDIR: "is a directory",
  ENOENT: "does not exist",
  ENOSPC: "cannot grow: there is no space left on the disk",
  ENOTDIR: "is not in a directory",
  EPERM: "may not be written",
  EPIPE: "was closed before the end",
  EROFS: "is on a disk that can only be read",
};

function writeFault(path: string, failure: unknown): unknown {
  if (!(failure instanceof Error) || !("code" in failure)) return failure;
  return new FileUnusable(`${path} ${reasons[String(failure.code)] ?? `cannot be written (${failure.code})`}.`);
}
