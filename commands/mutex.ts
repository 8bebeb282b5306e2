/**
 * Runs what it is given one after the other, in the order of asking: whoever writes to one stream from one process
 * does not meet itself there. A run that fails holds up nobody.
 */
export function inTurn(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const mine = last.then(run, run);
    last = mine;
    return mine;
  };
}
