import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { open } from "lmdb";
import { errorCode, sync, syncNames, writePrivately } from "../../data-directory/files.ts";
import { BackupFailed } from "./backup-failed.ts";
import { checkStoreApart, requireWholeStore } from "./store-file.ts";

/** `manifest.json` of a backup. */
export interface BackupManifest {
  readonly format: typeof backupFormat;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Position of its last event; 0 when it has none. */
  readonly head: number;
  /** Of the file with the events. */
  readonly bytes: number;
  /** Of that file, in hexadecimal digits. */
  readonly sha256: string;
}

/** Called with the share of a step that is done, from 0 to 1. */
export type OnShare = (step: "copying" | "checking" | "hashing", share: number) => void;

const backupFormat = "touchledger backup, format 1";
const dataFile = "data.mdb";
const lockFile = "lock.mdb";
const another = "Name another directory.";
const manifestFile = "manifest.json";
const pollMs = 100;

/**
 * Copies the store in `directory` to `target`, an empty or absent directory, also while another process runs it: the copy
 * is the store as it was at one moment. Every event of the copy is read. The manifest is written last, so that a copy
 * that was interrupted is none. One that fails leaves no files.
 * @throws {BackupFailed}
 */
export async function backUp(directory: string, target: string, onShare: OnShare): Promise<BackupManifest> {
  const total = await sizeOf(join(directory, dataFile));
  await requireWholeStore(directory);
  await makeDirectory(target);
  if ((await readdir(target)).length > 0) throw new BackupFailed(`${target} is not empty. Name a new directory.`);
  const copy = join(target, dataFile);
  try {
    await copyStore(directory, copy, (bytes) => onShare("copying", Math.min(1, bytes / total)));
    // The directory may be one that others can read; the log has personal data.
    await chmod(copy, 0o600);
    const manifest: BackupManifest = {
      format: backupFormat,
      createdAt: new Date().toISOString(),
      head: await checkedHead(target, onShare),
      bytes: await sizeOf(copy),
      sha256: await hashOf(copy, onShare),
    };
    await sync(copy);
    await writePrivately(join(target, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } catch (failure) {
    for (const name of [dataFile, lockFile]) await rm(join(target, name), { force: true });
    throw failure;
  }
}

async function makeDirectory(target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 }).catch((failure: unknown) => {
    throw new BackupFailed(`The directory "${target}" cannot be made (${errorCode(failure)}). ${another}`);
  });
}

/** By LMDB's own backup: a plain copy of the file of a running store is corrupt. */
async function copyStore(directory: string, copy: string, onBytes: (bytes: number) => void): Promise<void> {
  const store = open({ path: directory, noSubdir: false, maxDbs: 4, readOnly: true });
  try {
    const copying = store.backup(dirname(copy), false);
    const isOver = copying.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([isOver, delay(pollMs, false)]))) {
      const { size } = await stat(copy).catch(() => ({ size: 0 }));
      onBytes(size);
    }
    await copying.catch((failure: unknown) => {
      throw new BackupFailed(
        `The store cannot be copied to ${copy} (${failure instanceof Error ? failure.message : failure}). Is there enough space?`,
      );
    });
  } finally {
    await store.close();
  }
}

/**
 * Restores a backup to `directory`, which must not contain a store. Atomic.
 * @throws {BackupFailed} also when the backup does not match its manifest
 */
export async function restore(backup: string, directory: string, onShare: OnShare): Promise<BackupManifest> {
  const manifest = await readManifest(backup);
  const present = await readdir(directory).catch(() => []);
  if (present.length > 0) {
    throw new BackupFailed(`${directory} holds an event store already. Set DATA_DIR to another directory.`);
  }
  const unfinished = `${directory}.restoring`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    const copy = join(unfinished, dataFile);
    onShare("copying", 0);
    await cp(join(backup, dataFile), copy).catch((failure: unknown) => {
      throw new BackupFailed(
        `The backup cannot be copied (${errorCode(failure) ?? failure}). Are its files readable, and is there space?`,
      );
    });
    const found = { bytes: await sizeOf(copy), sha256: await hashOf(copy, onShare) };
    if (found.bytes !== manifest.bytes || found.sha256 !== manifest.sha256) {
      throw new BackupFailed(
        `${join(backup, dataFile)} is damaged: its SHA-256 is not that of the manifest. ${another}`,
      );
    }
    const head = await checkedHead(unfinished, onShare);
    if (head !== manifest.head)
      throw new BackupFailed(`The backup ends at ${head}, its manifest says ${manifest.head}. ${another}`);
    await sync(copy);
    await syncNames(unfinished);
    await rm(directory, { recursive: true, force: true });
    await rename(unfinished, directory);
    await syncNames(dirname(directory));
    return manifest;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function readManifest(backup: string): Promise<BackupManifest> {
  const path = join(backup, manifestFile);
  try {
    const manifest: Partial<BackupManifest> | null = JSON.parse(await readFile(path, "utf8"));
    const { format, createdAt, head, bytes, sha256 } = manifest ?? {};
    if (format === backupFormat && createdAt && head !== undefined && bytes && sha256) {
      return { format, createdAt, head, bytes, sha256 };
    }
  } catch (failure) {
    const code = errorCode(failure);
    if (code === "ENOENT") {
      throw new BackupFailed(`There is no ${path}: this is no backup, or it was interrupted. ${another}`);
    }
    if (code !== undefined) {
      throw new BackupFailed(`${path} cannot be read (${code}). Run this as a user who may read it.`);
    }
  }
  throw new BackupFailed(`${path} is no manifest of ${backupFormat}. ${another}`);
}

/** Checks a copy; returns the position of its last event. */
async function checkedHead(directory: string, onShare: OnShare): Promise<number> {
  const { head, faults } = await checkStoreApart(directory, (share) => onShare("checking", share));
  await rm(join(directory, lockFile), { force: true });
  const [fault] = faults;
  if (fault !== undefined)
    throw new BackupFailed(
      `The copy is damaged at position ${fault.position}: ${fault.reason}. Make another one, or restore one.`,
    );
  return head;
}

async function hashOf(path: string, onShare: OnShare): Promise<string> {
  const total = await sizeOf(path);
  const hash = createHash("sha256");
  let done = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk);
    done += chunk.length;
    onShare("hashing", done / total);
  }
  return hash.digest("hex");
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (failure) {
    if (errorCode(failure) === "ENOENT")
      throw new BackupFailed(`There is no event store: ${path} is missing. Set DATA_DIR to a directory that has one.`);
    throw failure;
  }
}
