/** A function that calls `report` at every `count`th call, for the progress of a loop. */
export function everyNth(count: number, report: () => void): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls % count === 0) report();
  };
}
