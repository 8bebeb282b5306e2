import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { type PropertyKey, type PropertyType, rawExportProperties } from "../../domain/raw-exports/properties.ts";

type Cell = string | null;

interface ColumnType {
  readonly type: BasicType;
  toValue(cell: string): unknown;
}

/** Parquet type of each type of property: instants in UTC, amounts as doubles, like JSON numbers. */
const columnTypes: { readonly [type in PropertyType]: ColumnType } = {
  string: { type: "STRING", toValue: (cell) => cell },
  boolean: { type: "BOOLEAN", toValue: (cell) => cell === "true" },
  integer: { type: "INT64", toValue: BigInt },
  number: { type: "DOUBLE", toValue: Number },
  instant: { type: "TIMESTAMP", toValue: (cell) => new Date(cell) },
  // The library copies objects with a prototype, which loses the key `__proto__`.
  json: { type: "JSON", toValue: (cell) => Object.setPrototypeOf(JSON.parse(cell), null) },
};

/** Without it, some readers take the values for local times. */
const instantType = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } as const;

/** Rows of a row group, which is held in memory; writing it blocks the event loop for about 20 ms. */
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
    columns.map(({ name, type, toValue }, index) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => {
        const cell = row[index] ?? null;
        return cell === null ? null : toValue(cell);
      }),
    }));
  const schema = schemaFromColumnData({ columnData: columnData([]) }).map((element) =>
    element.converted_type === "TIMESTAMP_MILLIS" ? { ...element, logical_type: instantType } : element,
  );
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema });
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
  const last = written();
  yield writer.row_groups.length === 0 ? withTypedEmptyList(last) : last;
}

/** In a footer: no rows, the empty list of row groups, and the beginning of the next field. */
const noRowGroups = [0x16, 0x00, 0x19, 0x00, 0x28];

/**
 * A file without rows, with its list of row groups typed as structs: the library gives an empty list no type, and some
 * readers refuse the file then.
 */
function withTypedEmptyList(file: Uint8Array): Uint8Array {
  const at = Buffer.from(file.buffer, file.byteOffset, file.length).lastIndexOf(Buffer.from(noRowGroups));
  if (at === -1) throw new Error("The footer of a Parquet file without rows has another form");
  file[at + 3] = 0x0c;
  return file;
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
