import { isUndecodable } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { fault } from "../../domain/fault.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import type { Language } from "../../domain/values/language.ts";
import { reasonOf } from "../../infra/http/i18n/messages.ts";
import { problems, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Reply, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import type {
  HistoryQuery,
  Replacement,
  UploadReplacements,
} from "../../projections/facts/uploads/replacement-history.ts";
import type { PageQuery } from "../../projections/list-page.ts";
import type { UploadRow } from "../../projections/uploads/queries.ts";
import { actorResponse, labelsOf, type TokenLabels } from "../actor-response.ts";
import { asOfParameter } from "../as-of.ts";
import { boundedReads } from "../bounded-reads.ts";
import { listParameters, pageOf } from "../listing.ts";
import { uploadHistoryDocs } from "./docs.ts";
import { findUpload, type UploadReadOptions, uploadNotFound } from "./routes.ts";
import { type RowsOptions, rowsReply, uploadedRowsRoute } from "./rows.ts";

export interface UploadHistoryOptions extends RowsOptions, Pick<UploadReadOptions, "uploadOf"> {
  /** Every event of an upload, oldest first, from the log. */
  readonly uploadEvents: (requestId: string) => AsyncIterable<RecordedEvent<UploadEvent>>;
  readonly tokensOf: (appId: number) => Promise<readonly TokenRow[]>;
  readonly replacementsOf: (query: HistoryQuery) => Promise<UploadReplacements>;
}

/** `asOf` is for `format=csv`, `skip` and `size` for JSON. */
const historyQuery = {
  type: "object",
  properties: {
    ...listParameters,
    format: { type: "string", enum: ["json", "csv"] },
    asOf: asOfParameter,
  },
} as const;

const asOfNeedsCsv = validationFailed([fault("not_allowed.csv_only", ["query", "asOf"])]);

/** How many histories wait while others are read. */
const maxWaiting = 100;

/** The history of one upload, and every row of an app in force (contract/uploads.md#history). */
export function uploadHistoryRoutes(options: UploadHistoryOptions): readonly Route[] {
  const reads = boundedReads("OVERLOADED.histories", problems.unavailable, maxWaiting);
  return [
    uploadedRowsRoute(options),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/uploads/:requestId/history",
      docs: uploadHistoryDocs,
      operation: "administer_app",
      query: historyQuery,
      reads: "control",
      alsoReads: () => "facts",
      handle: async ({ app, params, query, language }) => {
        const upload = await findUpload(options.uploadOf, app.appId, params.requestId);
        if (upload === null) return refuse(uploadNotFound);
        const { format = "json", asOf = null } = query;
        if (format === "json" && asOf !== null) return refuse(asOfNeedsCsv);
        if (format === "json") {
          const read = await reads.run(() => historyReply(options, upload, app.timezone, language, pageOf(query)));
          return "found" in read ? read.found : refuse(read);
        }
        const { appId, kind, requestId } = upload;
        const rows = { appId, kind, requestId, from: null, to: null, asOf };
        return rowsReply(options, rows, uploadKinds[kind].columns, `upload-${requestId}`);
      },
    }),
  ];
}

async function historyReply(
  { uploadEvents, tokensOf, replacementsOf }: UploadHistoryOptions,
  upload: UploadRow,
  timezone: string,
  language: Language,
  page: PageQuery,
): Promise<Reply> {
  const labels = labelsOf(await tokensOf(upload.appId));
  const { rowsInForce, replaced, replacedBy } = await replacementsOf({ ...upload, ...page });
  const events = [];
  // One at a time, to hold the rows of one chunk only.
  for await (const event of uploadEvents(upload.requestId)) events.push(eventResponse(event, labels, language));
  const pagination = ({ totalCount }: { readonly totalCount: number }) => ({
    hasNext: page.skip + page.size < totalCount,
    totalCount,
  });
  return ok({
    data: {
      upload: uploadResponse(upload, rowsInForce, timezone, language),
      events,
      replaced: replacedResponse(replaced),
      replacedBy: replacedByResponse(replacedBy),
    },
    pagination: { replaced: pagination(replaced), replacedBy: pagination(replacedBy) },
  });
}

/** The record (contract/uploads.md#record), its file, the number of its rows, and the number of those in force. */
function uploadResponse(upload: UploadRow, rowsInForce: number, timezone: string, language: Language) {
  const { kind, fileName, fileBytes, sha256, rowCount, receivedAt: createdAt, faults, ...progress } = upload;
  const reason = faults && reasonOf(faults, language);
  const record = uploadRecord({ ...progress, createdAt, reason }, timezone);
  return { ...record, kind, fileName, bytes: Number(fileBytes), sha256, rows: rowCount, rowsInForce };
}

/**
 * An event, its actor, when it happened, and when it was stored, which `asOf` refers to (contract/uploads.md#history).
 * Staged rows are shown as their number, faults as their texts.
 */
function eventResponse(event: RecordedEvent<UploadEvent>, labels: TokenLabels, language: Language) {
  const { type, data, position, recordedAt, metadata } = event;
  return {
    position: position.commit.toString(),
    time: metadata.occurredAt,
    recordedAt: recordedAt.toISOString(),
    actor: actorResponse(metadata.actor, labels),
    requestId: metadata.requestId,
    type,
    data: dataResponse(data, language),
  };
}

/** Null for data that cannot be decoded. */
function dataResponse(data: UploadEvent["data"], language: Language): object | null {
  if (isUndecodable(data)) return null;
  if ("rows" in data && typeof data.rows === "object") return { ...data, rows: data.rows.length };
  if (!("faults" in data)) return data;
  const { requestId, faults, ...time } = data;
  return { requestId, reason: reasonOf(faults, language), ...time };
}

/** Rows of other uploads that this one replaced. */
function replacedResponse({ uploads, rows }: Replacement) {
  return {
    uploads,
    rows: rows.map(({ requestId, row, key, replacedAt }) => ({ requestId, row, key, replacedAt: String(replacedAt) })),
  };
}

/** Rows of this upload that others replaced. */
function replacedByResponse({ uploads, rows }: Replacement) {
  return {
    uploads,
    rows: rows.map(({ row, key, replacedBy, replacedAt }) => ({
      row,
      key,
      replacedBy,
      replacedAt: String(replacedAt),
    })),
  };
}
