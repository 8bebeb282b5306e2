import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Ids of the scorer's processes that this one has started and that still run. */
export function scorerProcesses(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isScorer);
}

function isScorer(pid: number): boolean {
  try {
    // After the name in parentheses: state and parent.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    const isMine = parent === String(process.pid) && state !== "Z";
    return isMine && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("scorer-child.js");
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

/** Kills this process' scorers, at once, and waits until they are gone; calls that wait may have started another. */
export async function killed(): Promise<void> {
  const pids = scorerProcesses();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  while (scorerProcesses().some((pid) => pids.includes(pid))) await pause(1);
}
