import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "./files.ts";

/**
 * Distinguishes a process from every other with the same id: its boot and start time. Null when no such process runs; a
 * zombie does not run.
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

/** The namespace of the ids of processes: that of a container or, as everywhere outside of Linux, the only one. */
export function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * Whether the process that had an identity still runs. Another boot alone does not prove that it has ended, if the process
 * with its id started as long after the boot and runs the same program: a container of systemd-nspawn or LXC has a boot id of
 * its own, which a unit with `ProtectKernelTunables` does not see.
 */
export function stillRuns(pid: number, identity: string): boolean {
  const current = processIdentity(pid);
  if (current === null || current === identity) return current !== null;
  if (process.platform !== "linux") return false;
  const [, startTicks] = identity.split(" ");
  return current.endsWith(` ${startTicks}`) && basename(commandLine(pid)[0] ?? "") === basename(process.execPath);
}

/** The command line of a process, on other systems than Linux split at spaces. Empty when there is no such process. */
export function commandLine(pid: number): readonly string[] {
  if (process.platform !== "linux") return ps(pid, "command=").split(" ");
  return readOrEmpty(`/proc/${pid}/cmdline`).split("\0");
}

/** Sends a signal; returns false when there is no such process. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (failure) {
    if (errorCode(failure) === "ESRCH") return false;
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
