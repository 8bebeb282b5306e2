import { fault } from "../../domain/fault.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import type { Column } from "../../domain/uploads/kinds/upload-module.ts";
import { kindNames, uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, type Reply, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { RowsQuery, UploadedRowInForce } from "../../projections/facts/uploads/rows-in-force.ts";
import { asOfHeader, asOfParameter, asOfProblem, type PositionAsOf } from "../as-of.ts";
import { type CsvCell, csvLines } from "../csv.ts";
import { rowsDocs } from "./docs.ts";

export interface RowsOptions {
  readonly rowsInForce: (query: RowsQuery) => AsyncIterable<readonly UploadedRowInForce[]>;
  readonly positionAsOf: PositionAsOf;
}

/** The first kind of each table names its rows, those of the other kinds included (contract/uploads.md#replacement). */
const listedKinds: readonly UploadKind[] = kindNames.filter(
  (kind) => kindNames.find((other) => uploadKinds[other].table === uploadKinds[kind].table) === kind,
);

const rowsQuery = {
  type: "object",
  required: ["kind"],
  properties: {
    kind: { type: "string", enum: listedKinds },
    from: { type: "string", format: "date" },
    to: { type: "string", format: "date" },
    asOf: asOfParameter,
  },
} as const;

const datesReversed = validationFailed([fault("out_of_range.after_to", ["query", "from"])]);

/** Every uploaded row of an app that is in force, as reports of that position read it (contract/uploads.md#history). */
export function uploadedRowsRoute(options: RowsOptions): Route {
  return appRoute({
    method: "get",
    path: "/admin/v1/apps/:app_name/uploads/rows",
    docs: rowsDocs,
    operation: "administer_app",
    query: rowsQuery,
    reads: "facts",
    handle: async ({ app, query }) => {
      const { kind, from = null, to = null, asOf = null } = query;
      if (from !== null && to !== null && from > to) return refuse(datesReversed);
      const { columns } = uploadKinds[kind].table;
      return rowsReply(options, { appId: app.appId, kind, requestId: null, from, to, asOf }, columns, kind);
    },
  });
}

/** Rows in force at one log position, which is in `X-As-Of-Position`, as a CSV attachment. */
export async function rowsReply(
  { rowsInForce, positionAsOf }: RowsOptions,
  { asOf, ...query }: Omit<RowsQuery, "position"> & { readonly asOf: string | null },
  columns: readonly Column[],
  name: string,
): Promise<Reply> {
  const found = await positionAsOf(asOf);
  if (found.outcome !== "at") return refuse(asOfProblem(found));
  const { position } = found;
  return {
    kind: "streamed",
    pieces: rowsCsv(columns, rowsInForce({ ...query, position })),
    mediaType: "text/csv; charset=utf-8; header=present",
    headers: {
      [asOfHeader]: position.toString(),
      "Content-Disposition": `attachment; filename="${name}-as-of-${position}.csv"`,
    },
  };
}

/** Uploaded rows as CSV: the upload, the number of the row in its file, and the columns of the file. Numbers are exact. */
async function* rowsCsv(
  columns: readonly Column[],
  pages: AsyncIterable<readonly UploadedRowInForce[]>,
): AsyncGenerator<string> {
  let lines: CsvCell[][] = [["request_id", "row", ...columns.map(({ name }) => name)]];
  for await (const rows of pages) {
    for (const row of rows) lines.push([row.request_id, row.row, ...columns.map(({ name }) => row[name] ?? null)]);
    yield csvLines(lines);
    lines = [];
  }
  if (lines.length > 0) yield csvLines(lines);
}
