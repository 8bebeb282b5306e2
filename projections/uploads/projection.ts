import type { RecordedEvent } from "../../domain/event.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import type { Projection } from "../projection.ts";
import { insertUploads, type Move, moveUploads } from "./rows.ts";
import { createUploadsTable } from "./table.ts";

type Handled = Exclude<UploadEvent, { readonly type: "SpendRowsStaged" | "MetricRowsStaged" }>;
type Of<Type extends Handled["type"]> = Extract<RecordedEvent<Handled>, { readonly type: Type }>;

/** Uploads: which file came, how far it is, how it ended. Open ones are the upload pipeline's to-do list. */
export const uploadsProjection: Projection = {
  name: "uploads",
  version: 1,
  group: "control",
  handles: [
    "UploadReceived",
    "UploadValidated",
    "UploadRejected",
    "UploadIngested",
    "UploadSucceeded",
    "UploadFailed",
  ] satisfies Handled["type"][],
  parkBy: "stream",
  tables: { uploads: ["request_id"] },
  createTables: createUploadsTable,
  async apply(trx, schema, batch) {
    const events = batch as unknown as readonly RecordedEvent<Handled>[];
    // Within a stream the order is that of the stages, so that each stage can be applied to the whole batch at once.
    await insertUploads(trx, schema, eventsOf(events, "UploadReceived"));
    await moveUploads(trx, schema, ["uploaded"], eventsOf(events, "UploadValidated").map(validated));
    await moveUploads(trx, schema, ["uploaded"], eventsOf(events, "UploadRejected").map(rejected));
    await moveUploads(trx, schema, ["validated"], eventsOf(events, "UploadIngested").map(ingested));
    await moveUploads(trx, schema, ["ingested"], eventsOf(events, "UploadSucceeded").map(succeeded));
    await moveUploads(trx, schema, ["uploaded", "validated"], eventsOf(events, "UploadFailed").map(failed));
  },
};

function eventsOf<Type extends Handled["type"]>(
  events: readonly RecordedEvent<Handled>[],
  type: Type,
): readonly Of<Type>[] {
  return events.filter((event): event is Of<Type> => event.type === type);
}

function validated({ data }: Of<"UploadValidated">): Move {
  return { request_id: data.requestId, status: "validated", at: data.validatedAt, row_count: data.rows };
}

function rejected({ data }: Of<"UploadRejected">): Move {
  return { request_id: data.requestId, status: "failed", at: data.rejectedAt, reason: data.reason };
}

function ingested({ data, position }: Of<"UploadIngested">): Move {
  const ingested_position = String(position.commit);
  return { request_id: data.requestId, status: "ingested", at: data.ingestedAt, ingested_position };
}

function succeeded({ data }: Of<"UploadSucceeded">): Move {
  return { request_id: data.requestId, status: "succeeded", at: data.succeededAt };
}

function failed({ data }: Of<"UploadFailed">): Move {
  return { request_id: data.requestId, status: "failed", at: data.failedAt, reason: data.reason };
}
