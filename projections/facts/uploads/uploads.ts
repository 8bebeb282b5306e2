import { eventsOfType, type RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { RowsStaged, UploadedRow, UploadIngested } from "../../../domain/uploads/events.ts";
import { columnValue } from "../../../domain/uploads/kinds/columns.ts";
import type { Column, UploadTable } from "../../../domain/uploads/kinds/upload-module.ts";
import { uploadKinds, uploadTables } from "../../../domain/uploads/upload-kinds.ts";
import { cachedHashKey } from "../../hash-key.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, insertRows } from "../sql/unnest.ts";
import { activateUploads } from "./activate-upload.ts";
import { tableColumn } from "./tables.ts";
import { storeCategories } from "./uploaded-categories.ts";

export type UploadedFact = RowsStaged | UploadIngested;

/** Stores staged rows, which no report reads, and puts the rows of ingested uploads in force. */
export async function applyUploads(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<UploadedFact>[],
): Promise<void> {
  const ingestedTo = (table: UploadTable) =>
    eventsOfType(events, "UploadIngested").filter(({ data }) => uploadKinds[data.kind].table === table);
  const stagedTo = (table: UploadTable) => eventsOfType(events, table.stagedBy);
  await Promise.all([
    ...uploadTables.map((table) => storeStaged(pipeline, table, stagedTo(table))),
    ...uploadTables.map((table) => activateUploads(pipeline, table, ingestedTo(table))),
    storeCategories(pipeline, ingestedTo(uploadKinds.metric.table)),
  ]);
}

interface StagedRow {
  readonly appId: number;
  readonly requestId: string;
  readonly row: UploadedRow;
}

async function storeStaged(
  pipeline: StatementPipeline,
  table: UploadTable,
  events: readonly RecordedEvent<RowsStaged>[],
): Promise<void> {
  const columns = stagedColumns(table);
  await Promise.all(
    // One statement for each chunk of thousands of rows: several in one statement would only take memory.
    events.map(({ data: { appId, requestId, rows } }) => {
      const staged = rows.map((row) => ({ appId, requestId, row }));
      return insertRows(pipeline, table.name, staged, columns, "on conflict do nothing");
    }),
  );
}

const types = { boolean: "boolean", date: "date", decimal: "numeric", integer: "bigint", text: "text" } as const;

function stagedColumns({ columns, overwriteKey }: UploadTable): Columns<StagedRow> {
  const keyColumns = columns.filter(({ name }) => overwriteKey.includes(name));
  return {
    app_id: { type: "integer", of: ({ appId }) => appId },
    request_id: { type: "uuid", of: ({ requestId }) => requestId },
    row: { type: "integer", of: ({ row }) => row.row },
    overwrite_key: {
      type: "bigint",
      of: ({ row }) =>
        cachedHashKey(`overwrite:${JSON.stringify(keyColumns.map((column) => columnValue(column, row)))}`),
    },
    channel_type: { type: "text", of: ({ row }) => row.channelType },
    ...Object.fromEntries(columns.map((column) => [tableColumn(column.name), storedColumn(column)])),
  };
}

function storedColumn(column: Column): Columns<StagedRow>[string] {
  return { type: types[column.type], of: ({ row }) => columnValue(column, row) ?? null };
}
