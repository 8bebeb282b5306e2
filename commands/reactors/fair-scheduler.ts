interface AppWork {
  readonly appId: number;
}

/** Gives apps turns, so that much work of one does not starve the others. */
export interface FairScheduler {
  /**
   * The work that starts next: of the app that has the least running, of several the one whose last turn is longest
   * ago, and of that app the first in the list; null when the list is empty.
   * @param running one entry for each piece of work that runs
   */
  next<Work extends AppWork>(waiting: readonly Work[], running: readonly AppWork[]): Work | null;
}

export function createFairScheduler(): FairScheduler {
  /** Apps, the one with the latest turn last. */
  const served = new Set<number>();
  return {
    next: (waiting, running) => {
      const turns = [...served];
      const runningOf = (appId: number): number => running.filter((other) => other.appId === appId).length;
      const ranked = waiting.map((work) => ({
        work,
        running: runningOf(work.appId),
        lastTurn: turns.indexOf(work.appId),
      }));
      const [first] = ranked.sort((one, other) => one.running - other.running || one.lastTurn - other.lastTurn);
      if (first === undefined) return null;
      served.delete(first.work.appId);
      served.add(first.work.appId);
      return first.work;
    },
  };
}
