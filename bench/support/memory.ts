import { readdirSync, readFileSync } from "node:fs";

/** Samples the memory of another process; `stop` returns the peaks in MB. */
export interface MemoryWatch {
  /**
   * `anonymous`: heap, buffers and stacks, without pages of mapped files such as the event store, which the kernel can
   * reclaim.
   */
  stop(): { readonly anonymous: number; readonly resident: number };
}

const samplePause = 100;

export function watchMemory(pid: number): MemoryWatch {
  let anonymous = 0;
  let resident = 0;
  const sample = (): void => {
    const status = readProcessFile(pid, "status");
    anonymous = Math.max(anonymous, kilobytes(status, "RssAnon"));
    resident = Math.max(resident, kilobytes(status, "VmRSS"));
  };
  sample();
  const timer = setInterval(sample, samplePause);
  return {
    stop: () => {
      sample();
      clearInterval(timer);
      return { anonymous: Math.round(anonymous / 1024), resident: Math.round(resident / 1024) };
    },
  };
}

/** Anonymous memory of a process in MB, private and shared pages; 0 when the process has ended. */
export function anonymousMemory(pid: number): number {
  return kilobytes(readProcessFile(pid, "smaps_rollup"), "Anonymous") / 1024;
}

/** The child processes of a process, and all of their descendants. */
export function descendantsOf(pid: number): readonly Descendant[] {
  const processes = readdirSync("/proc")
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((one) => {
      const [, command, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readProcessFile(one, "stat")) ?? [];
      return command === undefined ? [] : [{ pid: one, parent: Number(parent), command }];
    });
  const childrenOf = (parent: number): readonly Descendant[] =>
    processes
      .filter((one) => one.parent === parent)
      .flatMap((one) => [{ pid: one.pid, isPostgres: one.command.startsWith("postgres") }, ...childrenOf(one.pid)]);
  return childrenOf(pid);
}

/** CPU seconds of a process and of its ended children; 0 when the process has ended. */
export function cpuSeconds(pid: number): number {
  const fields = readProcessFile(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

interface Descendant {
  readonly pid: number;
  readonly isPostgres: boolean;
}

function readProcessFile(pid: number, name: "stat" | "status" | "smaps_rollup"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
}
