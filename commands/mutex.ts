/**
 * Runs functions sequentially in the order of the calls, so that writers of one process do not conflict on one stream.
 * A failed run does not affect the next.
 */
export function createMutex(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const current = last.then(run, run);
    last = current;
    return current;
  };
}
