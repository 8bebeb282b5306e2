import type { RowsStaged, UploadedRow, UploadKind } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";

export interface ChunkHead {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
}

/** Encoded data of a chunk have fewer bytes; an append accepts twice as many. */
export const chunkLimit = 512 * 1024;

/**
 * The rows of a file from index `first` on, in chunks of maximum size. Resumed at the end of a chunk, the boundaries are
 * the same.
 */
export function* stagedChunks(
  { kind, ...head }: ChunkHead,
  rows: readonly UploadedRow[],
  first: number,
): Generator<RowsStaged> {
  // Rows of a file are all of its kind.
  const chunkOf = (rows: readonly UploadedRow[]): RowsStaged =>
    ({ type: uploadKinds[kind].table.stagedBy, data: { ...head, rows } }) as RowsStaged;
  const emptyBytes = encodedBytes({ ...head, rows: [] });
  let chunk: UploadedRow[] = [];
  let bytes = emptyBytes;
  for (const row of rows.slice(first)) {
    const rowBytes = encodedBytes(row);
    const comma = chunk.length === 0 ? 0 : 1;
    if (chunk.length > 0 && bytes + comma + rowBytes >= chunkLimit) {
      yield chunkOf(chunk);
      chunk = [row];
      bytes = emptyBytes + rowBytes;
    } else {
      chunk.push(row);
      bytes += comma + rowBytes;
    }
  }
  if (chunk.length > 0) yield chunkOf(chunk);
}

function encodedBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
