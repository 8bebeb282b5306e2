import { createHash, randomUUID } from "node:crypto";
import { link, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, readIfThere } from "./files.ts";
import { processIdentity, processNamespace, stillRuns } from "./processes.ts";

export interface Lock {
  release(): Promise<void>;
}

/** Another running process holds the lock. */
export class Locked extends Error {
  override readonly name = "Locked";
  readonly pid: number;
  constructor(path: string, pid: number) {
    super(`${path} is held by process ${pid}.`);
    this.pid = pid;
  }
}

interface Holder {
  readonly pid: number;
  readonly identity: string;
  /** In which its id is known. */
  readonly namespace: string;
  /** Device and inode of the directory that the file was made in: a copy of the file elsewhere is no lock. */
  readonly place: string;
  /** Makes the text of every lock ever taken different. */
  readonly nonce: string;
}

/** How often the holder touches its file, by which it is seen to run from another container. */
const touchMs = 1_000;
const endedAfterMs = 5 * touchMs;

/**
 * Takes the lock file `path` for this process. One left by a process that has ended is taken over, also when its
 * number belongs to another process by now, and so is one that was copied from another directory or host. One of another
 * container, whose processes cannot be seen, is taken over when nobody has touched it for 5 s. A holder that finds its
 * lock taken over throws an uncaught {@link Locked}, which ends the process.
 * @throws {Locked} while another process holds it
 */
export async function takeLock(path: string): Promise<Lock> {
  const place = await placeOf(path);
  const namespace = processNamespace();
  const mine = JSON.stringify({
    pid: process.pid,
    identity: processIdentity(process.pid) ?? "",
    namespace,
    place,
    nonce: randomUUID(),
  } satisfies Holder);
  const prepared = `${path}.${randomUUID()}`;
  await writeFile(prepared, mine, { mode: 0o600, flag: "wx" });
  try {
    while (!(await linked(prepared, path))) {
      const found = await readIfThere(path);
      if (found === null) continue;
      const holder = readHolder(found);
      if (holder?.place === place) {
        const isHere = holder.namespace === namespace;
        const isHeld = isHere ? stillRuns(holder.pid, holder.identity) : await isBeingTouched(path);
        if (isHeld) throw new Locked(path, holder.pid);
      }
      await removeStale(path, found);
    }
  } finally {
    await rm(prepared);
  }
  let isReleased = false;
  const touch = async (): Promise<void> => {
    const found = await readIfThere(path).catch(() => mine);
    if (isReleased || found === null) return;
    // Another process would write to the same files.
    if (found !== mine) throw new Locked(path, readHolder(found)?.pid ?? 0);
    await utimes(path, new Date(), new Date()).catch(() => undefined);
  };
  const touching = setInterval(touch, touchMs).unref();
  return {
    release: async () => {
      isReleased = true;
      clearInterval(touching);
      if ((await readIfThere(path)) === mine) await rm(path, { force: true });
    },
  };
}

/** Whether a process touches the file: waits for that, unless the last time is long ago, by this machine's clock. */
async function isBeingTouched(path: string): Promise<boolean> {
  const touchedAt = async (): Promise<number | null> => (await stat(path).catch(() => null))?.mtimeMs ?? null;
  const first = await touchedAt();
  if (first === null || Date.now() - first > endedAfterMs) return false;
  for (const deadline = performance.now() + endedAfterMs; performance.now() < deadline; await delay(touchMs / 10)) {
    const now = await touchedAt();
    if (now !== first) return now !== null;
  }
  return false;
}

/**
 * Of several processes that find the same stale lock only the one that holds a lock named after its text may remove
 * it, so that none can remove what another has taken meanwhile.
 */
async function removeStale(path: string, stale: string): Promise<void> {
  const digest = createHash("sha256").update(stale).digest("hex").slice(0, 16);
  const claim = await takeLock(`${path}-${digest}`);
  try {
    if ((await readIfThere(path)) === stale) await rm(path);
  } finally {
    await claim.release();
  }
}

async function placeOf(path: string): Promise<string> {
  const { dev, ino } = await stat(dirname(path));
  return `${dev}:${ino}`;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (failure) {
    if (errorCode(failure) === "EEXIST") return false;
    throw failure;
  }
}

function readHolder(text: string): Holder | null {
  try {
    const holder: Partial<Holder> | null = JSON.parse(text);
    const { pid, identity, namespace = processNamespace(), place, nonce } = holder ?? {};
    if (!Number.isSafeInteger(pid) || pid === undefined) return null;
    return identity === undefined || place === undefined || nonce === undefined
      ? null
      : { pid, identity, namespace, place, nonce };
  } catch {
    return null;
  }
}
