import { listOf, mapOf, nullable, number, object, text } from "../../../infra/http/openapi/route-docs.ts";
import {
  notifications,
  pagination,
  reportTask,
  reportTaskExample,
} from "../../../infra/http/openapi/shared-schemas.ts";
import { groupBys, pageExample, type ReportResponseDocs } from "../docs.ts";

const date = "2026-01-05T00:00:00.000+09:00/2026-01-06T00:00:00.000+09:00";

/** The JSON of an active users report (contract/reports.md#active-users). */
export const activeUsersDocs: ReportResponseDocs = {
  schema: object({
    task: reportTask,
    activeUsers: object({
      data: listOf(object({ rows: listOf(object({ date: text, values: mapOf(nullable(number)) })), groupBys })),
    }),
    pagination,
    notifications,
  }),
  example: {
    task: reportTaskExample,
    activeUsers: { data: [{ rows: [{ date, values: { app_au: 12 } }], groupBys: ["newsletter"] }] },
    ...pageExample,
  },
  csvExample: ["channel,date,app_au", `newsletter,${date},12`],
};
