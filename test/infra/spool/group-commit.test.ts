import type { RootDatabase } from "lmdb";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createGroupCommit } from "../../../infra/spool/group-commit.ts";

const commits = suite("group commit of the spool");

commits("rejects every change of a commit that failed, and goes on with those that waited", async () => {
  const batches: string[][] = [];
  let applied: string[] = [];
  const batch = async (apply: () => void): Promise<boolean> => {
    applied = [];
    apply();
    batches.push(applied);
    if (batches.length === 2) throw new Error("the disk is full");
    return true;
  };
  const commit = createGroupCommit({ batch, resetReadTxn() {} } as unknown as RootDatabase<unknown, string>);
  const committed: string[] = [];
  const change = (name: string) =>
    commit(
      () => applied.push(name),
      () => committed.push(name),
    ).then(
      () => `${name} is stored`,
      ({ message }: Error) => `${name}: ${message}`,
    );
  const [first, second, third] = [change("first"), change("second"), change("third")];
  // The second commit begins as soon as the first is done.
  const fourth = first.then(() => change("fourth"));
  assert.equal(await Promise.all([first, second, third, fourth]), [
    "first is stored",
    "second: the commit failed: Error: the disk is full",
    "third: the commit failed: Error: the disk is full",
    "fourth is stored",
  ]);
  assert.equal(
    [batches, committed],
    [
      [["first"], ["second", "third"], ["fourth"]],
      ["first", "fourth"],
    ],
  );
});

commits.run();
