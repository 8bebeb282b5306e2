import { integer, object } from "../../infra/http/openapi/route-docs.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

export const requestExportDocs = {
  summary: "Request an export of raw data",
  description:
    "`type` is `app`, `web` or `tracking-link`; any other value gets 404. The file is written in the " +
    "background: poll its address with the returned `reportID`. Dates that are more than 179 days old are refused.",
  contract: "contract/exports.md#requesting",
  request: (yesterday: string) => ({
    dateRange: { start: `${yesterday} 00:00:00`, end: `${yesterday} 23:59:59` },
    events: ["app_install"],
    properties: ["event_datetime", "event_category"],
  }),
  responses: {
    200: {
      schema: object({ at: integer, data: object({ reportID: integer }) }),
      example: { at: 1767571200000, data: { reportID: 1234567890 } },
    },
  },
  problems: [problems.notFound, ...rejectionsOf("EXPORT_LIMIT_REACHED")],
};
