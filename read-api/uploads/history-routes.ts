import type { RecordedEvent } from "../../domain/event.ts";
import { fault } from "../../domain/fault.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { problems, validationFailed } from "../../infra/http/response/problem.ts";
import { ok, type Reply, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import type { HistoryAsked, UploadReplacements } from "../../projections/reports/query/replaced-rows.ts";
import type { UploadRow } from "../../projections/uploads/queries.ts";
import { knownUpload, type UploadOf, uploadNotFound } from "./find-upload.ts";
import { eventAnswer, labelsOf, replacedAnswer, replacedByAnswer, uploadAnswer } from "./history-response.ts";
import { type RowsCsvOptions, rowsReply } from "./rows-csv.ts";
import { uploadedRowsRoute } from "./rows-route.ts";
import { historyPage, historyQuery } from "./schemas.ts";

export interface UploadHistoryOptions extends RowsCsvOptions {
  readonly uploadOf: UploadOf;
  /** Every event of an upload, oldest first, from the log. */
  readonly uploadEvents: (requestId: string) => AsyncIterable<RecordedEvent<UploadEvent>>;
  readonly tokensOf: (appId: number) => Promise<readonly TokenRow[]>;
  readonly replacementsOf: (asked: HistoryAsked) => Promise<UploadReplacements>;
}

const asOfNeedsCsv = validationFailed([fault("not_allowed.csv_only", ["query", "asOf"])]);

/**
 * What compliance teams see of uploads (contract/uploads.md#history). `/history` is every event of one upload with its
 * actor, the file, which rows of which uploads it replaced and what later replaced its own, `size` of each from `skip`
 * on; with `format=csv`, its rows in force at `asOf`. `/rows` is every row of the app in force.
 */
export function uploadHistoryRoutes(options: UploadHistoryOptions): readonly Route[] {
  const { uploadOf } = options;
  return [
    uploadedRowsRoute(options),
    route({
      method: "get",
      path: "/admin/v1/apps/:app_name/uploads/:requestId/history",
      operation: "administer_app",
      query: historyQuery,
      reads: "facts",
      handle: async ({ app, params, query }) => {
        if (app === null) return refuse(problems.appNotFound);
        const upload = await knownUpload(uploadOf, app.appId, params.requestId);
        if (upload === null) return refuse(uploadNotFound);
        const { skip = 0, size = historyPage.size, format = "json", asOf = null } = query;
        if (format === "json" && asOf !== null) return refuse(asOfNeedsCsv);
        if (format === "json") return historyReply(options, upload, app.timezone, { skip, size });
        const { appId, kind, requestId } = upload;
        return rowsReply(options, { appId, kind, requestId, from: null, to: null, asOf }, `upload-${requestId}`);
      },
    }),
  ];
}

interface Page {
  readonly skip: number;
  readonly size: number;
}

async function historyReply(
  { uploadEvents, tokensOf, replacementsOf }: UploadHistoryOptions,
  upload: UploadRow,
  timezone: string,
  page: Page,
): Promise<Reply> {
  const labels = labelsOf(await tokensOf(upload.appId));
  const { rowsInForce, replaced, replacedBy } = await replacementsOf({ ...upload, ...page });
  const events = [];
  // One after the other, so that the rows of one chunk at a time are held.
  for await (const event of uploadEvents(upload.requestId)) events.push(eventAnswer(event, labels));
  const shown = ({ totalCount }: { readonly totalCount: number }) => ({
    hasNext: page.skip + page.size < totalCount,
    totalCount,
  });
  return ok({
    data: {
      upload: uploadAnswer(upload, rowsInForce, timezone),
      events,
      replaced: replacedAnswer(replaced),
      replacedBy: replacedByAnswer(replacedBy),
    },
    pagination: { replaced: shown(replaced), replacedBy: shown(replacedBy) },
  });
}
