import { boolean, integer, listOf, nullable, number, object, text } from "../../../infra/http/openapi/route-docs.ts";
import {
  notifications,
  pagination,
  reportTask,
  reportTaskExample,
} from "../../../infra/http/openapi/shared-schemas.ts";
import { groupBys, maskable, pageExample, type ReportResponseDocs } from "../docs.ts";

const retained = {
  startUsers: maskable,
  values: listOf(object({ value: nullable(number), rate: nullable(number), isMasked: boolean })),
};
const lineExample = {
  startUsers: { value: 10, isMasked: false },
  values: [{ value: 4, rate: 0.4, isMasked: false }],
};

/** The JSON of a retention report (contract/reports.md#retention). */
export const retentionDocs: ReportResponseDocs = {
  schema: object({
    task: reportTask,
    retention: object({
      data: object({
        rows: listOf(object({ groupBys, total: object(retained), rows: listOf(object({ date: text, ...retained })) })),
      }),
      metadata: object({ rowCount: integer, granularity: text, intervals: integer }),
    }),
    pagination,
    notifications,
  }),
  example: {
    task: reportTaskExample,
    retention: {
      data: {
        rows: [{ groupBys: ["newsletter"], total: lineExample, rows: [{ date: "2026-01-05", ...lineExample }] }],
      },
      metadata: { rowCount: 1, granularity: "day", intervals: 1 },
    },
    ...pageExample,
  },
  csvExample: ["channel,date,startUsers,value_0,rate_0", "newsletter,,10,4,0.4", "newsletter,2026-01-05,10,4,0.4"],
};
