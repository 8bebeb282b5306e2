import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { type PropertyKey, type PropertyType, rawExportProperties } from "../../domain/raw-exports/properties.ts";

type Cell = string | null;

interface ColumnType {
  readonly type: BasicType;
  valueOf(cell: string): unknown;
}

/** How each type of property is written: instants in UTC, amounts as the binary floats that JSON numbers are. */
const columnTypes: { readonly [type in PropertyType]: ColumnType } = {
  string: { type: "STRING", valueOf: (cell) => cell },
  boolean: { type: "BOOLEAN", valueOf: (cell) => cell === "true" },
  integer: { type: "INT64", valueOf: BigInt },
  number: { type: "DOUBLE", valueOf: Number },
  instant: { type: "TIMESTAMP", valueOf: (cell) => new Date(cell) },
  json: { type: "JSON", valueOf: (cell) => JSON.parse(cell) },
};

/** Rows of a row group: it is held in memory, and takes about 20 ms to write, in which nobody else is answered. */
const groupSize = 5_000;

/**
 * Rows of an export as a Parquet file, compressed with Snappy, piece by piece: the same rows give the same bytes,
 * however they are split into pages. Columns are the properties, each nullable and of its type.
 */
export async function* parquetOf(
  properties: readonly PropertyKey[],
  pages: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<Uint8Array> {
  const columns = properties.map((key) => ({ name: key, ...columnTypes[rawExportProperties[key]] }));
  const columnData = (rows: readonly (readonly Cell[])[]) =>
    columns.map(({ name, type, valueOf: typed }, index) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => {
        const cell = row[index] ?? null;
        return cell === null ? null : typed(cell);
      }),
    }));
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: schemaFromColumnData({ columnData: columnData([]) }) });
  const written = (): Uint8Array => {
    const piece = new Uint8Array(bytes.getBuffer());
    bytes.index = 0;
    return piece;
  };
  for await (const rows of groupsOf(pages)) {
    await writer.write({ columnData: columnData(rows), rowGroupSize: groupSize });
    yield written();
  }
  await writer.finish();
  yield written();
}

async function* groupsOf(
  pages: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<readonly (readonly Cell[])[]> {
  const waiting: (readonly Cell[])[] = [];
  for await (const rows of pages) {
    waiting.push(...rows);
    while (waiting.length >= groupSize) yield waiting.splice(0, groupSize);
  }
  if (waiting.length > 0) yield waiting;
}
