import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Another process, or this one, has the data directory open. */
export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
}

const FILE = "event-store.pid";
let guards = 0;

/**
 * Makes this process the only one with a store in `directory`; returns the function that gives it up. A process is
 * known by its id and the time it was started, so that a store killed with -9 stands in nobody's way.
 * Throws {@link DirectoryInUse}.
 */
export function guardDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, FILE);
  guards += 1;
  const mine = `${process.pid} ${guards} ${startOf(process.pid) ?? "unknown"}\n`;
  const draft = `${file}.${process.pid}.${guards}`;
  writeFileSync(draft, mine);
  try {
    if (!claim(draft, file)) {
      refuseIfAlive(directory, file);
      // Two that find the same dead owner: the rename takes the file from one place only once.
      renameSync(file, `${draft}.old`);
      rmSync(`${draft}.old`);
      if (!claim(draft, file)) throw new DirectoryInUse(`${directory} was just opened by another process`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(file) === mine) rmSync(file, { force: true });
  };
}

/** A link is made whole or not at all, and never over an existing file. */
function claim(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function refuseIfAlive(directory: string, file: string): void {
  const [, pid, started] = /^(\d+) \d+ (.+)\n$/.exec(read(file)) ?? [];
  if (pid !== undefined && started !== undefined && startOf(Number(pid)) === started)
    throw new DirectoryInUse(`${directory} is in use by process ${pid}`);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** When a process was started, in whatever words the system has for it; null when there is no such process. */
function startOf(pid: number): string | null {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      // The name of the program, in parentheses, may hold anything; the start is the 20th field behind it.
      return `${boot} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}
