/** Options of an LMDB environment whose commits are on disk when they resolve. */
export const durableCommits = {
  // Resolves a commit before it is on disk.
  overlappingSync: false,
  // Creates one more promise per commit, whose rejection is unhandled on a full disk. Both stores do their own
  // batching.
  eventTurnBatching: false,
} as const;

/** The error of a failed commit; lmdb reports the cause (a full disk) by a second promise. */
export async function commitFailure(error: unknown): Promise<Error> {
  const cause: unknown =
    error instanceof Error && "commitError" in error
      ? await Promise.resolve(error.commitError).catch((reason: unknown) => reason)
      : error;
  return new Error(`the commit failed: ${cause}`, { cause: error });
}
