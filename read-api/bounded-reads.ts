import { type Problem, problems } from "../infra/http/response/problem.ts";
import { createConcurrencyLimit } from "../infra/process/concurrency-limit.ts";

/** Slow reads, of which a process runs only a few concurrently. */
export interface BoundedReads {
  /** The result of `read`; a problem if too many reads are running, or if it took too long (`read` returned null). */
  run<Found extends object>(read: () => Promise<Found | null>): Promise<{ readonly found: Found } | Problem>;
  /** The result of `read`, a later part of a response that has begun: it waits for its turn. */
  runNext<Found>(read: () => Promise<Found>): Promise<Found>;
}

/** Each may read the facts of 92 days, or every row of an upload: more concurrent reads would slow down others. */
const maxConcurrent = 4;

/**
 * @param overloaded the message code of the problem for too many reads
 * @param tooSlow the problem when a read returns null
 * @param maxWaiting how many reads wait for their turn
 */
export function boundedReads(overloaded: string, tooSlow: Problem, maxWaiting = 0): BoundedReads {
  /** Besides `maxWaiting`, at most one of each response that has begun waits. */
  const limit = createConcurrencyLimit(maxConcurrent);
  return {
    run: async (read) => {
      if (limit.isReached() && limit.waiting() >= maxWaiting) return { ...problems.overloaded, code: overloaded };
      const found = await limit.run(read);
      return found === null ? tooSlow : { found };
    },
    runNext: limit.run,
  };
}
