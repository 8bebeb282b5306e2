import {
  boolean,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  text,
} from "../../../infra/http/openapi/route-docs.ts";
import {
  notifications,
  pagination,
  reportTask,
  reportTaskExample,
} from "../../../infra/http/openapi/shared-schemas.ts";
import { groupBys, pageExample, type ReportResponseDocs } from "../docs.ts";

/** The JSON of an actuals report (contract/reports.md#actuals). */
export const actualsDocs: ReportResponseDocs = {
  schema: object({
    task: reportTask,
    actuals: object({
      data: object({
        rows: listOf(
          object({
            values: mapOf(object({ value: nullable(number), isMasked: boolean, viewFormat: nullable(text) })),
            groupBys,
          }),
        ),
      }),
      metadata: object({ rowCount: integer }),
    }),
    pagination,
    notifications,
  }),
  example: {
    task: reportTaskExample,
    actuals: {
      data: {
        rows: [{ values: { clicks: { value: 12, isMasked: false, viewFormat: null } }, groupBys: ["january"] }],
      },
      metadata: { rowCount: 1 },
    },
    ...pageExample,
  },
  csvExample: ["campaign,clicks", "january,12"],
};
