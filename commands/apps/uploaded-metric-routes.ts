import { appControls } from "../../domain/apps/app-controls.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { archiveMetricDocs } from "./docs.ts";

export interface UploadedMetricDeps {
  readonly log: EventLog;
  /** The metrics that an app has ever uploaded. */
  uploadedMetrics(appId: number): Promise<readonly { readonly eventCategory: string }[]>;
}

const putBody = {
  type: "object",
  required: ["archived"],
  additionalProperties: false,
  properties: { archived: { type: "boolean" } },
} as const;

/** Archives and restores uploaded metrics (contract/administration.md#archived-metrics). */
export function uploadedMetricRoutes({ log, uploadedMetrics }: UploadedMetricDeps): readonly Route[] {
  return [
    appRoute({
      method: "put",
      path: "/admin/v1/apps/:app_name/uploaded-metrics/:event_category",
      docs: archiveMetricDocs,
      operation: "archive_metric",
      body: putBody,
      handle: async (request) => {
        const { app, params, body } = request;
        const eventCategory = params.event_category ?? "";
        const uploaded = await uploadedMetrics(app.appId);
        const command = {
          type: "SetUploadedMetricArchived" as const,
          appId: app.appId,
          eventCategory,
          archived: body.archived,
          isUploaded: uploaded.some((metric) => metric.eventCategory === eventCategory),
        };
        return handleHttpCommand(log, appControls, appStream(app.appId), command, request, ({ position }) =>
          ok(
            { data: { uploadedMetric: { eventCategory, archived: body.archived } } },
            { position, visibleIn: "facts" },
          ),
        );
      },
    }),
  ];
}
