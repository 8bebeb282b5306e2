import { stringify } from "csv-stringify/sync";
import { columnsOf } from "../../domain/uploads/columns.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { type Reply, refuse } from "../../infra/http/routing/route.ts";
import type { RowsQuery, UploadedRow } from "../../projections/reports/query/rows-in-force.ts";
import { asOfHeader, asOfProblem, type PositionAsOf } from "../as-of.ts";

export interface RowsCsvOptions {
  readonly rowsInForce: (asked: RowsQuery) => AsyncIterable<readonly UploadedRow[]>;
  readonly positionAsOf: PositionAsOf;
}

/** Rows in force as a CSV attachment, whole at one log position, which `X-As-Of-Position` tells. */
export async function rowsReply(
  { rowsInForce, positionAsOf }: RowsCsvOptions,
  asked: Omit<RowsQuery, "position"> & { readonly asOf: string | null },
  name: string,
): Promise<Reply> {
  const asOf = await positionAsOf(asked.asOf);
  if (asOf.outcome !== "at") return refuse(asOfProblem(asOf));
  const { position } = asOf;
  return {
    kind: "streamed",
    pieces: rowsCsv(asked.kind, rowsInForce({ ...asked, position })),
    mediaType: "text/csv; charset=utf-8; header=present",
    headers: {
      [asOfHeader]: position.toString(),
      "Content-Disposition": `attachment; filename="${name}-as-of-${position}.csv"`,
    },
  };
}

/** Exact decimal text, which no spreadsheet runs however it begins. */
interface Decimal {
  readonly decimal: string;
}

type Cell = string | number | boolean | Decimal | null;

const numbers = new Set(["impressions", "clicks", "cost", "event_value"]);

/**
 * Uploaded rows as CSV (RFC 4180): the upload and the number of each row in its file, then the columns of its kind of
 * file as it spells them. Texts that a spreadsheet would run as a formula are neutralised; numbers stand as they are, to
 * the last digit (contract/exports.md#downloading). What is missing is empty.
 */
export async function* rowsCsv(kind: UploadKind, pages: AsyncIterable<readonly UploadedRow[]>): AsyncGenerator<string> {
  const columns = ["request_id", "row", ...columnsOf[kind].map(({ name }) => name)];
  let header: readonly (readonly Cell[])[] = [columns];
  for await (const rows of pages) {
    yield csv([...header, ...rows.map((row) => columns.map((column) => cell(column, row[column] ?? null)))]);
    header = [];
  }
  if (header.length > 0) yield csv(header);
}

function csv(lines: readonly (readonly Cell[])[]): string {
  return stringify([...lines], {
    record_delimiter: "windows",
    escape_formulas: true,
    cast: {
      boolean: String,
      object: (value: Partial<Decimal>) => ({ value: value.decimal ?? "", escape_formulas: false }),
    },
  });
}

function cell(column: string, value: string | number | boolean | null): Cell {
  return typeof value === "string" && numbers.has(column) ? { decimal: value } : value;
}
