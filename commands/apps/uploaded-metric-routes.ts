import { appSettings } from "../../domain/apps/app-settings.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";

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

/** Archiving and restoring uploaded metrics (contract/administration.md#archived-metrics). */
export function uploadedMetricRoutes({ log, uploadedMetrics }: UploadedMetricDeps): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/apps/:app_name/uploaded-metrics/:event_category",
      operation: "archive_metric",
      body: putBody,
      handle: async (request) => {
        const { app, params, body } = request;
        if (app === null) return refuse(problems.appNotFound);
        const eventCategory = params.event_category ?? "";
        const uploaded = await uploadedMetrics(app.appId);
        const command = {
          type: "SetUploadedMetricArchived" as const,
          appId: app.appId,
          eventCategory,
          archived: body.archived,
          isUploaded: uploaded.some((metric) => metric.eventCategory === eventCategory),
        };
        const stream = appStream(app.appId);
        const set = await handleCommand(log, appSettings, stream, request.requestId, command, causeOf(request));
        if (set.outcome === "rejected") return refuseWith(set.rejection);
        const answer = { data: { uploadedMetric: { eventCategory, archived: body.archived } } };
        return set.position === null ? ok(answer) : ok(answer, { position: set.position, visibleIn: "facts" });
      },
    }),
  ];
}
