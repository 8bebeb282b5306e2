import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { uploadFileStream, uploadStream } from "../../domain/streams.ts";
import type { UploadKind, UploadReceived } from "../../domain/uploads/events.ts";
import { upload } from "../../domain/uploads/upload.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { FileBody } from "../../infra/http/request/file-body.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Route, type RouteRequest, refuse, route } from "../../infra/http/routing/route.ts";
import { derivedUuid, sha256 } from "../derived-ids.ts";
import { appendFile } from "../file-chunks.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";

/**
 * A body beyond this is cut off; a file over 1 MB, in a body below it, is an upload that fails
 * (contract/uploads.md#limits).
 */
const largestBody = 8 * 1024 * 1024;

/** Where each kind of file is sent (contract/uploads.md). */
const paths: readonly { readonly kind: UploadKind; readonly path: string; readonly serviceApiKey: boolean }[] = [
  { kind: "ad_spend", path: "/self-serve-data/v1/ad-spend/requests", serviceApiKey: false },
  { kind: "metric", path: "/self-serve-data/v1/metric/requests", serviceApiKey: false },
  { kind: "legacy_cost", path: "/custom-data-upload/v1.0/cost/requests", serviceApiKey: true },
];

/**
 * The routes that receive files (contract/uploads.md). Whatever the file is, once its bytes are in the log it is an
 * upload whose record tells how it fares (contract/uploads.md#limits).
 */
export function uploadRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return paths.map(({ kind, path, serviceApiKey }) =>
    route({
      method: "post",
      path,
      operation: "upload_data",
      limit: "upload-request",
      file: { limit: largestBody },
      serviceApiKey,
      idempotent: true,
      handle: async (request) => {
        const { app, commandId, body } = request;
        if (app === null) return refuse(problems.appNotFound);
        const requestId = derivedUuid(commandId, "upload");
        const cause = causeOf(request);
        await appendFile(log, { stream: uploadFileStream(requestId), idsFrom: commandId, cause }, body.bytes);
        const data = received(requestId, app.appId, kind, request);
        const command = { type: "ReceiveUpload", data } as const;
        const handled = await handleCommand(log, upload, uploadStream(requestId), commandId, command, cause);
        if (handled.outcome === "rejected") return refuseWith(handled.rejection);
        const receipt = await receiptOf(log, requestId);
        const { receivedAt } = receipt.data;
        const times = { createdAt: receivedAt, updatedAt: receivedAt };
        const progress = { requestId, status: "uploaded", prevStatus: null, reason: null, ...times } as const;
        return ok(uploadRecord(progress, app.timezone), { visibleIn: "control", position: receipt.position });
      },
    }),
  );
}

function received(
  requestId: string,
  appId: number,
  kind: UploadKind,
  { body: { fileName, bytes }, receivedAt }: Pick<RouteRequest<FileBody, undefined>, "body" | "receivedAt">,
): UploadReceived["data"] {
  const hash = sha256(bytes).toString("hex");
  return { requestId, appId, kind, fileName, bytes: bytes.length, sha256: hash, receivedAt };
}

/** The upload as the log has it: a repeated command finds what came first. */
async function receiptOf(log: EventLog, requestId: string): Promise<RecordedEvent<UploadReceived>> {
  for await (const event of log.read(uploadStream(requestId))) if (event.type === "UploadReceived") return event;
  throw new Error("An upload was received and is not there");
}
