import { type Problem, problems } from "../infra/http/response/problem.ts";

/** Reads that take long, of which a process does a few at a time. */
export interface BoundedReads {
  /** What was read; a problem if too many are being read, or if it took too long (`read` answered null). */
  run<Found extends object>(read: () => Promise<Found | null>): Promise<{ readonly found: Found } | Problem>;
}

/** Facts are read of up to 92 days: more readings at a time would take the database from the reports. */
const maxConcurrent = 4;

/** @param overloaded the code of the detail that says so */
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
