import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTokenUseRecorder, maxNotedTokens, type TokenUses } from "../../../commands/tokens/token-uses.ts";

/** A recorder over a map, with its clock. */
function recorder() {
  const stored = new Map<string, Date>();
  const writes: (readonly (readonly [string, number])[])[] = [];
  const failures: unknown[] = [];
  const clock = { now: 0, isAway: false };
  const uses = createTokenUseRecorder({
    storeUses: async (used: TokenUses) => {
      if (clock.isAway) throw new Error("away");
      writes.push([...used].map(([tokenId, at]) => [tokenId, at.getTime()] as const));
      for (const [tokenId, at] of used) stored.set(tokenId, at);
    },
    storedUses: async (tokenIds) => new Map([...stored].filter(([tokenId]) => tokenIds.includes(tokenId))),
    onFailure: (failure) => failures.push(failure),
    now: () => clock.now,
  });
  const noteAt = (at: number, ...tokenIds: readonly string[]): void => {
    clock.now = at;
    for (const tokenId of tokenIds) uses.note(tokenId);
  };
  const lastUses = async (...tokenIds: readonly string[]) =>
    [...(await uses.lastUsesOf(tokenIds))].map(([tokenId, at]) => [tokenId, at.getTime()]);
  return { uses, clock, writes, failures, noteAt, lastUses };
}

const tokenUses = suite("the last uses of tokens");

tokenUses("are stored together, each token once with its last use, however often it was used", async () => {
  const { uses, writes, noteAt, lastUses } = recorder();
  for (let at = 1; at <= 1_000; at += 1) noteAt(at, "a", "b");
  noteAt(2_000, "a");
  assert.equal(
    [writes, await lastUses("a", "b", "c")],
    [
      [],
      [
        ["a", 2_000],
        ["b", 1_000],
      ],
    ],
  );
  await uses.store();
  await uses.store();
  await uses.close();
  assert.equal(writes, [
    [
      ["a", 2_000],
      ["b", 1_000],
    ],
  ]);
  assert.equal(await lastUses("a", "b", "c"), [
    ["a", 2_000],
    ["b", 1_000],
  ]);
});

tokenUses("are stored when the recorder closes", async () => {
  const { uses, writes, noteAt } = recorder();
  noteAt(1, "a");
  await uses.close();
  assert.equal(writes, [[["a", 1]]]);
});

tokenUses("that cannot be stored are kept, and retried with later uses", async () => {
  const { uses, clock, writes, failures, noteAt, lastUses } = recorder();
  noteAt(1, "a", "b");
  clock.isAway = true;
  const storing = uses.store();
  // They are being stored from the next microtask on.
  await Promise.resolve();
  noteAt(2, "b");
  await storing;
  assert.equal(
    [failures.length, await lastUses("a", "b")],
    [
      1,
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
  );
  clock.isAway = false;
  await uses.close();
  assert.equal(
    writes.map((write) => [...write].sort()),
    [
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
  );
});

tokenUses("are noted of a bounded number of tokens until they are stored", async () => {
  const { uses, writes, noteAt, lastUses } = recorder();
  for (let index = 1; index < maxNotedTokens; index += 1) noteAt(1, `token ${index}`);
  noteAt(2, "last");
  noteAt(3, "one more", "last");
  assert.equal(await lastUses("last", "one more"), [["last", 3]]);
  await uses.store();
  noteAt(4, "one more");
  await uses.close();
  assert.equal(
    writes.map(({ length }) => length),
    [maxNotedTokens, 1],
  );
});

tokenUses.run();
