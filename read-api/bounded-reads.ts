import { type Problem, problems } from "../infra/http/response/problem.ts";

/** Slow reads, of which a process runs only a few concurrently. */
export interface BoundedReads {
  /** The result of `read`; a problem if too many reads are running, or if it took too long (`read` returned null). */
  run<Found extends object>(read: () => Promise<Found | null>): Promise<{ readonly found: Found } | Problem>;
}

/** Each may read the facts of 92 days: more concurrent reads would slow down reports. */
const maxConcurrent = 4;

/** @param overloaded the message code of the problem for too many reads */
export function boundedReads(overloaded: string, tooSlow: Problem): BoundedReads {
  let running = 0;
  return {
    run: async (read) => {
      if (running >= maxConcurrent) return { ...problems.overloaded, code: overloaded };
      running += 1;
      try {
        const found = await read();
        return found === null ? tooSlow : { found };
      } finally {
        running -= 1;
      }
    },
  };
}
