import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * What tells a process from every other that ever had its number: the boot it belongs to and when it started.
 * Null when no such process runs (one that has ended but was not yet collected by its parent does not run).
 */
export function processIdentity(pid: number): string | null {
  if (process.platform !== "linux") {
    const [state = "", ...startedAt] = ps(pid, "stat=,lstart=").split(/\s+/);
    return state === "" || state.startsWith("Z") ? null : startedAt.join(" ");
  }
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The name, in brackets, may hold spaces and brackets itself: the fields follow the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTicks] = [fields[0], fields[19]];
  if (startTicks === undefined || state === "Z" || state === "X") return null;
  return `${readOrEmpty("/proc/sys/kernel/random/boot_id").trim()} ${startTicks}`;
}

/** The arguments with which a process was started; on other systems than Linux split at spaces. Empty: no such process. */
export function commandLine(pid: number): readonly string[] {
  if (process.platform !== "linux") return ps(pid, "command=").split(" ");
  return readOrEmpty(`/proc/${pid}/cmdline`).split("\0");
}

/** Sends a signal; false when there is no such process (any more). */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (failure) {
    if (failure instanceof Error && "code" in failure && failure.code === "ESRCH") return false;
    throw failure;
  }
}

function ps(pid: number, columns: string): string {
  return spawnSync("ps", ["-o", columns, "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() ?? "";
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
