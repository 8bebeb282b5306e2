import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TrackingLinkRow } from "../../../projections/tracking-links/queries.ts";
import { listPieces } from "../../../read-api/tracking-links/list-links.ts";
import { aLink } from "../../examples/tracking-links.ts";

const pieces = suite("the text of a page of links");
const mostOfPiece = 256 * 1024;

const rowOf = (linkId: number): TrackingLinkRow => ({
  link: { ...aLink({ shortId: `link-${linkId}` }).data, linkId },
  revision: 0n,
  createdAt: new Date(0),
});

/** The pieces of a page of links that have so many characters each, and how many links each was made of. */
async function piecesOf(lengths: readonly number[], missing: ReadonlySet<number> = new Set()) {
  const asked: number[] = [];
  const made: string[] = [];
  const items = new Map(lengths.map((length, id) => [id, { id, text: "x".repeat(length) }]));
  const read = async (ids: readonly number[]) => {
    asked.push(ids.length);
    return ids.filter((id) => !missing.has(id)).map(rowOf);
  };
  const itemOf = ({ link }: TrackingLinkRow): object => items.get(link.linkId) ?? {};
  for await (const piece of listPieces(1_000, [...items.keys()], read, itemOf)) made.push(piece);
  const trackingLinks = [...items.values()].filter(({ id }) => !missing.has(id));
  return { asked, made, whole: { data: { totalCount: 1_000, trackingLinks } } };
}

pieces("is the same JSON however many links there are and however long they are", async () => {
  const lengths = fc.array(fc.oneof(fc.nat(200), fc.nat(200_000)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.uniqueArray(fc.nat(60)), async (all, missing) => {
      const { made, whole } = await piecesOf(all, new Set(missing));
      assert.equal(JSON.parse(made.join("")), whole);
    }),
    { numRuns: 50 },
  );
});

pieces("is made of ten links, and then of as many as fit", async () => {
  assert.equal((await piecesOf(Array(500).fill(500))).asked, [10, 100, 100, 100, 100, 90]);
  assert.equal((await piecesOf(Array(25).fill(100_000))).asked, [10, 2, 2, 2, 2, 2, 2, 2, 1]);
  assert.equal((await piecesOf(Array(14).fill(300_000))).asked, [10, 1, 1, 1, 1]);
  const { made } = await piecesOf(Array(300).fill(10_000));
  assert.ok(made.every(({ length }) => length <= mostOfPiece));
});

pieces("does not begin before something could be read", async () => {
  const failing = listPieces(1, [1], () => Promise.reject(new Error("away")), Object);
  assert.is(await failing.next().catch(({ message }) => message), "away");
});

pieces.run();
