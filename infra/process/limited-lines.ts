/** Maximum lines of a kind. */
const maxLinesPerSecond = 10;
const windowMs = 1_000;

/**
 * Limits what is logged to ten lines a second of each kind, so that a flood of one kind crowds out no other and fills no
 * disk. At the end of the second, `onLeftOut` gets the number of those left out.
 * @param later calls `work` after `ms`
 * @returns a function that calls `write` within the limit
 */
export function limitLines<Kind>(
  onLeftOut: (kind: Kind, leftOut: number) => void,
  later = laterWithoutWaiting,
): (kind: Kind, write: () => void) => void {
  const counts = new Map<Kind, number>();
  const endWindow = (kind: Kind): void => {
    const leftOut = (counts.get(kind) ?? 0) - maxLinesPerSecond;
    counts.delete(kind);
    if (leftOut > 0) onLeftOut(kind, leftOut);
  };
  return (kind, write) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count === 1) later(() => endWindow(kind), windowMs);
    if (count <= maxLinesPerSecond) write();
  };
}

/** Does not keep the process alive. */
export function laterWithoutWaiting(work: () => void, ms: number): void {
  setTimeout(work, ms).unref();
}
