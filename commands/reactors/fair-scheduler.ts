/** Work of an app, and whose it is within the app. */
export interface FairWork {
  readonly appId: number;
  /** The token that requested it (default: all work of the app is one's). */
  readonly requestedBy?: string | null;
}

/** Gives apps turns, and within an app its tokens, so that much work of one does not starve the others. */
export interface FairScheduler {
  /**
   * The work that starts next: of the app that has the least running, of several the one whose last turn is longest
   * ago; within that app of the token chosen in the same way, and of that token the first in the list. Null when the list
   * is empty.
   * @param running one entry for each piece of work that runs
   */
  next<Work extends FairWork>(waiting: readonly Work[], running: readonly FairWork[]): Work | null;
}

/** @param maxServed how many apps and tokens are known by their last turns; one beyond them counts as never served */
export function createFairScheduler(maxServed = 10_000): FairScheduler {
  /** Apps and tokens, the one with the latest turn last. */
  const served = new Set<string>();
  return {
    next: (waiting, running) => {
      const turns = [...served];
      const runningKeys = running.flatMap(turnKeys);
      const rankOf = (work: FairWork): readonly number[] =>
        turnKeys(work).flatMap((key) => [runningKeys.filter((other) => other === key).length, turns.indexOf(key)]);
      const ranked = waiting.map((work) => ({ work, rank: rankOf(work) }));
      const [first] = ranked.sort((one, other) => compareRanks(one.rank, other.rank));
      if (first === undefined) return null;
      for (const key of turnKeys(first.work)) {
        served.delete(key);
        served.add(key);
      }
      for (const key of served) {
        if (served.size <= maxServed) break;
        served.delete(key);
      }
      return first.work;
    },
  };
}

/** Its app, then its token. */
function turnKeys({ appId, requestedBy = null }: FairWork): readonly string[] {
  return [`${appId}`, `${appId}/${requestedBy ?? ""}`];
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((rank, level) => rank !== other[level]);
  return differing < 0 ? 0 : (one[differing] ?? 0) - (other[differing] ?? 0);
}
