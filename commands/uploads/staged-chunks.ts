import type { MetricRow, MetricRowsStaged, SpendRow, SpendRowsStaged } from "../../domain/uploads/events.ts";

/** The rows that an accepted file holds, by what it is about. */
export type AcceptedRows =
  | { readonly type: "SpendRowsStaged"; readonly rows: readonly SpendRow[] }
  | { readonly type: "MetricRowsStaged"; readonly rows: readonly MetricRow[] };

/** Whose they are. */
export interface ChunkHead {
  readonly requestId: string;
  readonly appId: number;
}

/** Encoded data of a chunk stays under so many bytes (design 6); an append takes twice that. */
export const chunkLimit = 512 * 1024;

/**
 * A file's rows from the one at index `first` on, in chunks that are as large as they may be. Boundaries depend on the
 * rows alone: begun again where a chunk has ended, they are the same.
 */
export function* stagedChunks(
  head: ChunkHead,
  { type, rows }: AcceptedRows,
  first: number,
): Generator<SpendRowsStaged | MetricRowsStaged> {
  const frame = encodedBytes({ ...head, rows: [] });
  let chunk: (SpendRow | MetricRow)[] = [];
  let bytes = frame;
  for (let index = first; index < rows.length; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    const comma = chunk.length === 0 ? 0 : 1;
    const more = comma + encodedBytes(row);
    if (chunk.length > 0 && bytes + more >= chunkLimit) {
      yield chunkOf(type, head, chunk);
      chunk = [row];
      bytes = frame + more - comma;
    } else {
      chunk.push(row);
      bytes += more;
    }
  }
  if (chunk.length > 0) yield chunkOf(type, head, chunk);
}

function chunkOf(
  type: AcceptedRows["type"],
  head: ChunkHead,
  rows: readonly (SpendRow | MetricRow)[],
): SpendRowsStaged | MetricRowsStaged {
  // Rows of a file are all of its type.
  return { type, data: { ...head, rows } } as SpendRowsStaged | MetricRowsStaged;
}

function encodedBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
