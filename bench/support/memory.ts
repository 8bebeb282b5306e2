import { readFileSync } from "node:fs";

/** Watches how much memory a process of its own holds; `stop` answers the peak in MB. */
export interface MemoryWatch {
  /** `anonymous`: heap, buffers and stacks. Pages of the memory-mapped event store are the kernel's to take back. */
  stop(): { readonly anonymous: number; readonly resident: number };
}

const samplePause = 100;

export function watchMemory(pid: number): MemoryWatch {
  let anonymous = 0;
  let resident = 0;
  const sample = (): void => {
    const status = readStatus(pid);
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

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
}
