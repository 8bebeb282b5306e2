import { uploadFileStream, uploadStream } from "../../domain/streams.ts";
import type { UploadKind, UploadReceived } from "../../domain/uploads/events.ts";
import { upload } from "../../domain/uploads/upload.ts";
import { kindNames, uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { FileBody } from "../../infra/http/request/multipart-body.ts";
import { appRoute, ok, type Route, type RouteRequest } from "../../infra/http/routing/route.ts";
import { derivedUuid, sha256 } from "../derived-ids.ts";
import { causeOf } from "../event-metadata.ts";
import { appendFile } from "../file-chunks.ts";
import { handleCommand } from "../handle-command.ts";
import { refuseWith } from "../rejection-statuses.ts";
import { sendUploadDocs } from "./docs.ts";

/** A larger body is refused with 413; a file over 1 MiB in a smaller body fails later (contract/uploads.md#limits). */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * The routes that receive files (contract/uploads.md). Once the bytes of a file are in the log, its faults are
 * reported by its record (contract/uploads.md#limits).
 */
export function uploadRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return kindNames.map((kind) =>
    appRoute({
      method: "post",
      path: uploadKinds[kind].path,
      docs: sendUploadDocs(kind),
      operation: "upload_data",
      limit: "upload-request",
      file: { limit: maxBodyBytes },
      serviceApiKey: uploadKinds[kind].acceptsServiceApiKey,
      idempotent: true,
      handle: async (request) => {
        const { app, commandId, body } = request;
        const requestId = derivedUuid(commandId, "upload");
        const cause = causeOf(request);
        await appendFile(log, { stream: uploadFileStream(requestId), idsFrom: commandId, cause }, body.bytes);
        const data = received(requestId, app.appId, kind, request);
        const command = { type: "ReceiveUpload", data } as const;
        const handled = await handleCommand(log, upload, uploadStream(requestId), commandId, command, cause);
        if (handled.outcome === "rejected") return refuseWith(handled.rejection);
        const { receivedAt } = data;
        const times = { createdAt: receivedAt, updatedAt: receivedAt };
        const progress = { requestId, status: "uploaded", prevStatus: null, reason: null, ...times } as const;
        return ok(uploadRecord(progress, app.timezone), { visibleIn: "control", position: handled.position });
      },
    }),
  );
}

function received(
  requestId: string,
  appId: number,
  kind: UploadKind,
  { body: { fileName, bytes }, firstReceivedAt }: Pick<RouteRequest<FileBody, undefined>, "body" | "firstReceivedAt">,
): UploadReceived["data"] {
  const hash = sha256(bytes).toString("hex");
  return { requestId, appId, kind, fileName, bytes: bytes.length, sha256: hash, receivedAt: firstReceivedAt };
}
