import type { Reply } from "../infra/http/routing/route.ts";
import type { SizedPosition } from "../projections/list-page.ts";

/** Bytes of the rows that are read at a time, unless one row has more. */
const maxReadBytes = 256 * 1024;

/** The JSON of a list whose rows may be large. */
interface StreamedList {
  /** The text before the items. */
  readonly head: string;
  readonly rows: readonly SizedPosition[];
  /** The items of the rows at positions, in their order. */
  readonly itemsAt: (positions: readonly bigint[]) => Promise<readonly object[]>;
  /** The text after the items. */
  readonly tail: string;
}

/** The response with a list whose rows are read while it is sent: 500 of the largest are 128 MB. */
export function streamedList(list: StreamedList): Reply {
  return { kind: "streamed", mediaType: "application/json; charset=utf-8", pieces: piecesOf(list) };
}

async function* piecesOf({ head, rows, itemsAt, tail }: StreamedList): AsyncGenerator<string> {
  let before = head;
  let separator = "";
  for (const positions of readsOf(rows)) {
    const items = await itemsAt(positions);
    if (items.length === 0) continue;
    yield before + separator + items.map((item) => JSON.stringify(item)).join(",");
    before = "";
    separator = ",";
  }
  yield before + tail;
}

/** The positions of each read. */
function readsOf(rows: readonly SizedPosition[]): readonly (readonly bigint[])[] {
  const reads: bigint[][] = [];
  let readBytes = Number.POSITIVE_INFINITY;
  for (const { position, bytes } of rows) {
    readBytes += bytes;
    if (readBytes > maxReadBytes) {
      reads.push([]);
      readBytes = bytes;
    }
    reads.at(-1)?.push(position);
  }
  return reads;
}
