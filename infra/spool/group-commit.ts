import type { RootDatabase } from "lmdb";

interface Change {
  apply(): void;
  committed(): void;
  failed(error: unknown): void;
}

/** Resolves when what `apply` changes is on disk, after `committed` was called; rejects when nothing of it is. */
export type Commit = (apply: () => void, committed: () => void) => Promise<void>;

/** One commit at a time, in the order of asking; what is asked for meanwhile goes to disk together. */
export function commitsTogether(root: RootDatabase<unknown, string>): Commit {
  let waiting: Change[] = [];
  let isCommitting = false;

  async function work(): Promise<void> {
    isCommitting = true;
    while (waiting.length > 0) {
      const changes = waiting;
      waiting = [];
      try {
        await root.batch(() => {
          for (const { apply } of changes) apply();
        });
        root.resetReadTxn();
        for (const { committed } of changes) committed();
      } catch (error) {
        const failure = new Error(`the commit failed: ${await causeOf(error)}`, { cause: error });
        for (const { failed } of changes) failed(failure);
      }
    }
    isCommitting = false;
  }

  return (apply, committed) =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        committed();
        resolve();
      };
      waiting.push({ apply, committed: done, failed: reject });
      if (!isCommitting) work();
    });
}

/** lmdb tells the reason (a full disk) by a second promise. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  return Promise.resolve(error.commitError).catch((cause: unknown) => cause);
}
