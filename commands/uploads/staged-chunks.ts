import type {
  MetricRow,
  MetricRowsStaged,
  SpendRow,
  SpendRowsStaged,
  UploadKind,
} from "../../domain/uploads/events.ts";

/** Whose rows they are, and of which kind. */
export interface ChunkHead {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
}

/** Encoded data of a chunk stays under so many bytes; an append takes twice that. */
export const chunkLimit = 512 * 1024;

/**
 * A file's rows from the one at index `first` on, in chunks that are as large as they may be. Boundaries depend on the
 * rows alone: begun again where a chunk has ended, they are the same.
 */
export function* stagedChunks(
  { kind, ...head }: ChunkHead,
  rows: readonly (SpendRow | MetricRow)[],
  first: number,
): Generator<SpendRowsStaged | MetricRowsStaged> {
  const chunkOf = (chunk: readonly (SpendRow | MetricRow)[]): SpendRowsStaged | MetricRowsStaged => {
    const type = kind === "metric" ? "MetricRowsStaged" : "SpendRowsStaged";
    // Rows of a file are all of its kind.
    return { type, data: { ...head, rows: chunk } } as SpendRowsStaged | MetricRowsStaged;
  };
  const frame = encodedBytes({ ...head, rows: [] });
  let chunk: (SpendRow | MetricRow)[] = [];
  let bytes = frame;
  for (let index = first; index < rows.length; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    const comma = chunk.length === 0 ? 0 : 1;
    const more = comma + encodedBytes(row);
    if (chunk.length > 0 && bytes + more >= chunkLimit) {
      yield chunkOf(chunk);
      chunk = [row];
      bytes = frame + more - comma;
    } else {
      chunk.push(row);
      bytes += more;
    }
  }
  if (chunk.length > 0) yield chunkOf(chunk);
}

function encodedBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
