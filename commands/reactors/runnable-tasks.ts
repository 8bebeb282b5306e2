/** A report of the to-do list. */
export interface ReportToRun {
  readonly taskId: string;
  readonly appId: number;
  /** The log position that it is computed at. */
  readonly position: bigint;
}

export interface AnswerableDeps {
  /** Whether everything up to a position can be read from the facts. */
  factsHavePassed(position: bigint): Promise<boolean>;
  /** Whether a target event of an app, at or below a position, has no decision yet. */
  hasUndecided(appId: number, position: bigint): Promise<boolean>;
}

/**
 * The tasks that the facts can answer at their positions (contract/reports.md#tasks): they have passed them, and every
 * target event of the app up to there is decided. What is not so at one position is not so at any later one, and not
 * asked again.
 * @param tasks oldest first
 */
export async function answerableAmong(
  tasks: readonly ReportToRun[],
  { factsHavePassed, hasUndecided }: AnswerableDeps,
): Promise<ReadonlySet<string>> {
  const answerable = new Set<string>();
  const undecidedApps = new Set<number>();
  for (const { taskId, appId, position } of tasks) {
    if (undecidedApps.has(appId)) continue;
    if (!(await factsHavePassed(position))) break;
    if (await hasUndecided(appId, position)) undecidedApps.add(appId);
    else answerable.add(taskId);
  }
  return answerable;
}
