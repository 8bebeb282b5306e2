import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { streamedList } from "../../read-api/streamed-list.ts";

const limit = 256 * 1024;

/** A list of rows of these sizes, those at `missing` positions without an item, and the positions of each read. */
function listOf(sizes: readonly number[], missing: ReadonlySet<bigint> = new Set()) {
  const reads: (readonly bigint[])[] = [];
  const rows = sizes.map((bytes, index) => ({ position: BigInt(index), bytes }));
  const itemOf = (position: bigint) => ({ position: String(position) });
  const itemsOf = (positions: readonly bigint[]) =>
    positions.filter((position) => !missing.has(position)).map((position) => itemOf(position));
  const reply = streamedList({
    head: '{"data":{"items":[',
    rows,
    itemsAt: async (positions) => {
      reads.push(positions);
      return itemsOf(positions);
    },
    tail: '],"rest":1}}',
  });
  if (reply.kind !== "streamed") throw new Error("The list is not streamed");
  const { pieces } = reply;
  return { reads, pieces, whole: { data: { items: itemsOf(rows.map(({ position }) => position)), rest: 1 } } };
}

async function textOf(pieces: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

const list = suite("a streamed list");

list("is the JSON of the whole list, whatever the sizes of its rows", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(2 * limit)), { maxLength: 20 });
  const missing = fc.uniqueArray(fc.nat(20));
  await fc.assert(
    fc.asyncProperty(sizes, missing, async (all, without) => {
      const { pieces, whole } = listOf(all, new Set(without.map(BigInt)));
      assert.is(await textOf(pieces), JSON.stringify(whole));
    }),
  );
});

list("reads rows of up to 256 KiB at a time, and larger ones by themselves", async () => {
  const readsOf = async (...sizes: readonly number[]) => {
    const { reads, pieces } = listOf(sizes);
    await textOf(pieces);
    return reads.map((positions) => positions.length);
  };
  assert.equal(await readsOf(), []);
  assert.equal(await readsOf(limit / 2, limit / 2 - 1), [2]);
  assert.equal(await readsOf(limit / 2, limit / 2), [2]);
  assert.equal(await readsOf(limit / 2, limit / 2 + 1), [1, 1]);
  assert.equal(await readsOf(1, limit + 1, 1, 1), [1, 1, 2]);
  assert.equal(await readsOf(...Array(500).fill(300)), [500]);
});

list("reads rows only when the ones before have been taken", async () => {
  const { reads, pieces } = listOf(Array(3).fill(limit));
  const taken = pieces[Symbol.asyncIterator]();
  await taken.next();
  assert.equal(reads, [[0n]]);
});

list.run();
