/** Work took longer than its time limit; it may still finish. */
export class TimeLimitExceeded extends Error {
  override readonly name = "TimeLimitExceeded";
}

/**
 * The result of `work`. After `ms` milliseconds rejects with `late`; the work continues, and its result is ignored.
 * @param late default: {@link TimeLimitExceeded}
 */
export function within<Result>(
  ms: number,
  work: Promise<Result>,
  late = (): Error => new TimeLimitExceeded(`No result within ${ms} ms`),
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
