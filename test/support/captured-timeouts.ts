/** Runs a function; returns its result, and the delays in milliseconds of the timeouts that it set before its first wait. */
export function capturedTimeouts<Result>(run: () => Result): readonly [result: Result, delays: readonly number[]] {
  const { setTimeout } = globalThis;
  const delays: number[] = [];
  const capturing = (action: () => void, delayMs: number): NodeJS.Timeout => {
    delays.push(delayMs);
    return setTimeout(action, delayMs);
  };
  globalThis.setTimeout = capturing as unknown as typeof setTimeout;
  try {
    return [run(), delays];
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}
