/** Work of an app, and of a token within the app. */
export interface FairWork {
  /** Null: of all apps. Such work takes its turns like that of one more app. */
  readonly appId: number | null;
  /** The token that requested it (default: the same for all work of the app). */
  readonly requestedBy?: string | null;
}

/** Gives turns to apps, and within an app to its tokens, so that much work of one does not starve the others. */
export interface FairScheduler {
  /**
   * The work to start next; null when `waiting` is empty. Takes the app with the least running work, among equals the
   * one whose last turn is longest ago, then a token of the app in the same way, and the token's first work in the
   * list.
   * @param running one entry for each piece of work that runs
   */
  next<Work extends FairWork>(waiting: readonly Work[], running: readonly FairWork[]): Work | null;
}

/** @param maxServed how many apps and tokens have their last turn remembered; others count as never served */
export function createFairScheduler(maxServed = 10_000): FairScheduler {
  /** Apps and tokens, the one with the latest turn last. */
  const served = new Set<string>();
  return {
    next: (waiting, running) => {
      const turnOf = new Map([...served].map((key, turn) => [key, turn]));
      const runningKeys = running.flatMap(turnKeys);
      const rankOf = (work: FairWork): readonly number[] =>
        turnKeys(work).flatMap((key) => [runningKeys.filter((other) => other === key).length, turnOf.get(key) ?? -1]);
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
