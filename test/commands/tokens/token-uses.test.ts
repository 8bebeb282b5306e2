import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTokenUseRecorder, type TokenUses } from "../../../commands/tokens/token-uses.ts";

/** A recorder over a map. */
function recorder() {
  const stored = new Map<string, Date>();
  const writes: (readonly string[])[] = [];
  const failures: unknown[] = [];
  const database = { isAway: false };
  const uses = createTokenUseRecorder({
    storeUses: async (used: TokenUses) => {
      if (database.isAway) throw new Error("away");
      writes.push([...used.keys()].sort());
      for (const [tokenId, at] of used) stored.set(tokenId, at);
    },
    storedUses: async (tokenIds) => new Map([...stored].filter(([tokenId]) => tokenIds.includes(tokenId))),
    onFailure: (failure) => failures.push(failure),
  });
  return { uses, database, stored, writes, failures };
}

const tokenUses = suite("the last uses of tokens");

tokenUses("are stored together, each token once, when they are read or the recorder closes", async () => {
  const { uses, stored, writes } = recorder();
  const before = Date.now();
  for (let time = 1; time <= 1_000; time += 1) for (const tokenId of ["a", "b"]) uses.note(tokenId);
  assert.equal(writes, []);
  const found = await uses.lastUsesOf(["a", "c"]);
  assert.equal(found, new Map([["a", stored.get("a")]]));
  const at = found.get("a")?.getTime() ?? 0;
  assert.ok(at >= before && at <= Date.now(), `${at}`);
  await uses.lastUsesOf(["a"]);
  uses.note("c");
  await uses.close();
  assert.equal(writes, [["a", "b"], ["c"]]);
});

tokenUses("that cannot be stored are reported, and stored with later ones", async () => {
  const { uses, database, writes, failures } = recorder();
  uses.note("a");
  uses.note("b");
  database.isAway = true;
  assert.equal(await uses.lastUsesOf(["a"]), new Map());
  database.isAway = false;
  uses.note("c");
  await uses.close();
  assert.equal([failures.length, writes], [1, [["a", "b", "c"]]]);
});

tokenUses("are the last ones, also of a token that is used while its former use cannot be stored", async () => {
  const stored = new Map<string, Date>();
  let isAway = true;
  let clock = 0;
  const uses = createTokenUseRecorder({
    storeUses: async (used) => {
      if (isAway) {
        uses.note("b");
        throw new Error("away");
      }
      for (const [tokenId, at] of used) stored.set(tokenId, at);
    },
    storedUses: async () => stored,
    onFailure: () => undefined,
    now: () => new Date(++clock),
  });
  for (const tokenId of ["a", "b", "a"]) uses.note(tokenId);
  await uses.lastUsesOf([]);
  isAway = false;
  await uses.close();
  assert.equal([stored.get("a")?.getTime(), stored.get("b")?.getTime()], [3, 4]);
});

tokenUses.run();
