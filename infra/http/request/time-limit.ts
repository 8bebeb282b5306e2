/** Something took longer than its caller waits; it may still happen. */
export class TimeLimitExceeded extends Error {
  override readonly name = "TimeLimitExceeded";
}

/**
 * What `work` comes to.
 * @throws {TimeLimitExceeded} when that takes longer than `ms` milliseconds; the work goes on, and its result is dropped
 */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitExceeded(`No answer in ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
