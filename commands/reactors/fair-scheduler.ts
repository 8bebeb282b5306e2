/** Something that waits for its turn to run. */
export interface Waiting {
  readonly appId: number;
}

/** Gives the slots of the report runner to apps in turn, so that one app's heavy reports do not starve another's. */
export interface FairTurns {
  /**
   * Takes out of `waiting` what runs next: of the app that has the fewest running, of several the one whose last turn
   * is longest ago, and of that app the first in the list. Null when nobody waits.
   * @param running the app of each that runs
   */
  next<Item extends Waiting>(waiting: readonly Item[], running: readonly number[]): Item | null;
}

export function createFairTurns(): FairTurns {
  /** Apps, that of the last turn last. */
  const served = new Set<number>();
  return {
    next: (waiting, running) => {
      const turns = [...served];
      const runningOf = (appId: number): number => running.filter((other) => other === appId).length;
      const rank = ({ appId }: Waiting): readonly [number, number] => [runningOf(appId), turns.indexOf(appId)];
      const [first] = waiting
        .map((item) => ({ item, rank: rank(item) }))
        .sort((one, other) => one.rank[0] - other.rank[0] || one.rank[1] - other.rank[1]);
      if (first === undefined) return null;
      served.delete(first.item.appId);
      served.add(first.item.appId);
      return first.item;
    },
  };
}
