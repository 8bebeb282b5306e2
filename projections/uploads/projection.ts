import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { defineProjection } from "../projection.ts";
import { insertUploads, type Move, moveUploads } from "./rows.ts";
import { createUploadsTable } from "./table.ts";

/** Uploads: which file came, how far it is, how it ended. Open ones are the upload pipeline's to-do list. */
export const uploadsProjection = defineProjection({
  name: "uploads",
  version: 1,
  group: "control",
  handles: ["UploadReceived", "UploadValidated", "UploadRejected", "UploadIngested", "UploadSucceeded", "UploadFailed"],
  parkBy: "stream",
  tables: { uploads: ["request_id"] },
  createTables: createUploadsTable,
  async apply(trx, schema, batch) {
    // Within a stream the order is that of the stages, so that each stage can be applied to the whole batch at once.
    await insertUploads(trx, schema, eventsOfType(batch, "UploadReceived"));
    await moveUploads(trx, schema, ["uploaded"], eventsOfType(batch, "UploadValidated").map(validated));
    await moveUploads(trx, schema, ["uploaded"], eventsOfType(batch, "UploadRejected").map(rejected));
    await moveUploads(trx, schema, ["validated"], eventsOfType(batch, "UploadIngested").map(ingested));
    await moveUploads(trx, schema, ["ingested"], eventsOfType(batch, "UploadSucceeded").map(succeeded));
    await moveUploads(trx, schema, ["uploaded", "validated"], eventsOfType(batch, "UploadFailed").map(failed));
  },
});

function validated({ data }: RecordedOfType<"UploadValidated">): Move {
  return { request_id: data.requestId, status: "validated", at: data.validatedAt, row_count: data.rows };
}

function rejected({ data }: RecordedOfType<"UploadRejected">): Move {
  return { request_id: data.requestId, status: "failed", at: data.rejectedAt, reason: data.reason };
}

function ingested({ data, position }: RecordedOfType<"UploadIngested">): Move {
  const ingested_position = String(position.commit);
  return { request_id: data.requestId, status: "ingested", at: data.ingestedAt, ingested_position };
}

function succeeded({ data }: RecordedOfType<"UploadSucceeded">): Move {
  return { request_id: data.requestId, status: "succeeded", at: data.succeededAt };
}

function failed({ data }: RecordedOfType<"UploadFailed">): Move {
  return { request_id: data.requestId, status: "failed", at: data.failedAt, reason: data.reason };
}
