import type { FromSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { unknownKey } from "../../domain/did-you-mean.ts";
import { faultsAt } from "../../domain/fault.ts";
import type { RawExportType } from "../../domain/raw-exports/events.ts";
import { exportDay } from "../../domain/raw-exports/export-day.ts";
import { rawExportLimits, rawExportTypes, validateRawExport } from "../../domain/raw-exports/export-query.ts";
import { rawExportProperties } from "../../domain/raw-exports/properties.ts";
import { rawExportsStream } from "../../domain/streams.ts";
import { addDays, localDate, startOfDay } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Reply, type Route, type RouteRequest, refuse } from "../../infra/http/routing/route.ts";
import { causeOf } from "../event-metadata.ts";
import { filtersField } from "../filters-schema.ts";
import { handleCommand } from "../handle-command.ts";
import { problemOf } from "../rejection-statuses.ts";
import { requestExportDocs } from "./docs.ts";

export interface RawExportDeps {
  readonly log: EventLog;
}

const requestBody = {
  type: "object",
  required: ["dateRange", "events", "properties"],
  additionalProperties: false,
  properties: {
    dateRange: {
      type: "object",
      required: ["start", "end"],
      additionalProperties: false,
      properties: { start: { type: "string" }, end: { type: "string" } },
    },
    events: { type: "array", minItems: 1, maxItems: rawExportLimits.events, items: { type: "string" } },
    properties: {
      type: "array",
      minItems: 1,
      maxItems: Object.keys(rawExportProperties).length,
      items: { type: "string" },
    },
    filters: filtersField,
  },
} as const;

/** The requests of a day are in one stream, which each of them reads: small bodies bound its size. */
const maxBodyBytes = 64 * 1024;

/** The route that requests an export (contract/exports.md#requesting). */
export function rawExportRoutes({ log }: RawExportDeps): readonly Route[] {
  return [
    appRoute({
      method: "post",
      path: "/log-export/api/v3/apps/:app_name/:type/request",
      docs: requestExportDocs,
      operation: "raw_export",
      body: requestBody,
      rules: (body, { app, receivedAt, params }) => {
        const type = rawExportTypes.find((known) => known === params.type);
        if (type === undefined) return [];
        const checked = validateRawExport(type, body, localDate(app.timezone, Date.parse(receivedAt)));
        return checked.outcome === "invalid" ? checked.faults : [];
      },
      bodyLimit: maxBodyBytes,
      idempotent: true,
      handle: async (request) => {
        const type = rawExportTypes.find((known) => known === request.params.type);
        return type === undefined ? refuse(noSuchType(request.params.type ?? "")) : requestExport(log, type, request);
      },
    }),
  ];
}

function noSuchType(type: string): Problem {
  return {
    ...problems.notFound,
    errors: [unknownKey("not_allowed.export_type", ["path", "type"], type, rawExportTypes)],
  };
}

async function requestExport(
  log: EventLog,
  type: RawExportType,
  request: RouteRequest<FromSchema<typeof requestBody>, undefined, RegisteredApp>,
): Promise<Reply> {
  const { app, body, commandId, receivedAt, firstReceivedAt } = request;
  const { appId, timezone } = app;
  const now = Date.parse(receivedAt);
  const date = localDate(timezone, Date.parse(firstReceivedAt));
  const checked = validateRawExport(type, body, date);
  if (checked.outcome === "invalid") return refuse(validationFailed(faultsAt(["body"], checked.faults)));
  const data = { appId, date, commandId, query: checked.query, requestedAt: receivedAt };
  const command = { type: "RequestExport", data } as const;
  const handled = await handleCommand(
    log,
    exportDay,
    rawExportsStream(appId, date),
    commandId,
    command,
    causeOf(request),
  );
  if (handled.outcome === "rejected") {
    // The day of the first request was full and is over.
    if (date !== localDate(timezone, now)) return requestExport(log, type, { ...request, firstReceivedAt: receivedAt });
    const nextDay = startOfDay(timezone, addDays(date, 1));
    return refuse({ ...problemOf(handled.rejection), retryAfterSeconds: Math.ceil((nextDay - now) / 1_000) });
  }
  const requested = handled.state.exports.find((one) => one.commandId === commandId);
  if (requested === undefined) throw new Error("The export is not in the stream of its day");
  return ok({ at: now, data: { reportID: requested.reportId } }, { visibleIn: "control", position: handled.position });
}
