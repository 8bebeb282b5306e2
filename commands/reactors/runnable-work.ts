/** Work that reads the facts as of a log position. */
export interface WorkAtPosition {
  readonly appId: number;
  readonly position: bigint;
}

export interface FactsProgress {
  /** Whether everything up to a position can be read from the facts. */
  factsHavePassed(position: bigint): Promise<boolean>;
  /** Whether a target event of an app, at or below a position, has no decision yet. */
  hasUndecided(appId: number, position: bigint): Promise<boolean>;
}

/**
 * The work whose position the facts have passed, with every target event of the app up to there decided
 * (contract/reports.md#tasks). Later positions than one that is not passed are not queried.
 */
export async function runnableAmong<Work extends WorkAtPosition>(
  work: readonly Work[],
  { factsHavePassed, hasUndecided }: FactsProgress,
): Promise<ReadonlySet<Work>> {
  const runnable = new Set<Work>();
  const undecidedApps = new Set<number>();
  for (const item of [...work].sort(byPosition)) {
    if (undecidedApps.has(item.appId)) continue;
    if (!(await factsHavePassed(item.position))) break;
    if (await hasUndecided(item.appId, item.position)) undecidedApps.add(item.appId);
    else runnable.add(item);
  }
  return runnable;
}

function byPosition(one: WorkAtPosition, other: WorkAtPosition): number {
  return one.position < other.position ? -1 : 1;
}
