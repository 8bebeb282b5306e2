/** The process cannot start with its configuration; the message says what to change. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** Rejects with {@link StartupError} and `message` when `work` fails; the failure is its cause. */
export async function orStartupError<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof StartupError) throw failure;
    throw new StartupError(`${message} (${failure instanceof Error ? failure.message : String(failure)})`, {
      cause: failure,
    });
  }
}
