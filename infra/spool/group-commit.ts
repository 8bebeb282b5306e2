import type { RootDatabase } from "lmdb";
import { commitFailure } from "../data-directory/durable-commits.ts";

interface Change {
  apply(): void;
  committed(): void;
  failed(error: unknown): void;
}

/** Resolves when the changes made by `apply` are on disk, after calling `committed`; rejects when none of them are. */
type Commit = (apply: () => void, committed: () => void) => Promise<void>;

/** Group commit: one commit at a time, in the order of the calls; changes that arrive meanwhile form the next one. */
export function createGroupCommit(root: RootDatabase<unknown, string>): Commit {
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
        const failure = await commitFailure(error);
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
