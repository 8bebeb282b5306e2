import type { TrackingLinkRow } from "../../projections/tracking-links/queries.ts";

/** Characters of a piece, more or less: what is made in one go, while everybody else waits. */
const pieceLength = 256 * 1024;
const [firstLinks, maxLinks] = [10, 100];

/** Text of a page of links, made while it is sent: 500 of the greatest links are 84 MB. */
export async function* listPieces(
  totalCount: number,
  linkIds: readonly number[],
  read: (linkIds: readonly number[]) => Promise<readonly TrackingLinkRow[]>,
  itemOf: (row: TrackingLinkRow) => object,
): AsyncGenerator<string> {
  let head = `{"data":{"totalCount":${totalCount},"trackingLinks":[`;
  let separator = "";
  let count = firstLinks;
  for (let start = 0; start < linkIds.length; ) {
    const asked = linkIds.slice(start, start + count);
    const items = (await read(asked)).map((row) => JSON.stringify(itemOf(row))).join(",");
    if (items !== "") {
      yield head + separator + items;
      [head, separator] = ["", ","];
    }
    start += asked.length;
    count = Math.min(Math.max(Math.floor((asked.length * pieceLength) / items.length), 1), maxLinks);
  }
  yield `${head}]}}`;
}
