/** What the configuration names cannot be used on this machine now; the message says what to do. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/** Rejects with {@link CannotStart} and `message` when `work` fails; the failure is its cause. */
export async function orCannotStart<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    throw new CannotStart(`${message} (${failure instanceof Error ? failure.message : String(failure)})`, {
      cause: failure,
    });
  }
}
