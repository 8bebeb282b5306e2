import {
  boolean,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  position,
  text,
  uuid,
} from "../../../infra/http/openapi/route-docs.ts";
import { notifications, reportTaskExample } from "../../../infra/http/openapi/shared-schemas.ts";
import { groupBys, maskable, type ReportResponseDocs } from "../docs.ts";

const totals = { totalCost: maskable, totalRevenue: maskable, totalUniqueUsers: maskable };
const amount = { value: 12, isMasked: false };
const totalsExample = { totalCost: amount, totalRevenue: amount, totalUniqueUsers: amount };

/** The JSON of a revenue report (contract/reports.md#revenue). */
export const revenueDocs: ReportResponseDocs = {
  schema: object({
    data: object({
      stats: object({
        rows: listOf(
          object({
            rows: listOf(object({ date: text, total: object(totals), values: listOf(maskable) })),
            total: object({ ...totals, values: listOf(maskable) }),
            metadata: groupBys,
          }),
        ),
      }),
      status: oneOf("SUCCESS"),
      taskId: uuid,
      endedAt: nullable(text),
      asOfPosition: position,
      hasNext: boolean,
      metadata: object({ totalCount: integer }),
    }),
    notification: notifications,
  }),
  example: {
    data: {
      stats: {
        rows: [
          {
            rows: [{ date: "2026-01-05", total: totalsExample, values: [amount] }],
            total: { ...totalsExample, values: [amount] },
            metadata: ["newsletter"],
          },
        ],
      },
      ...reportTaskExample,
      hasNext: false,
      metadata: { totalCount: 1 },
    },
    notification: [],
  },
  csvExample: [
    "channel,date,totalUniqueUsers,totalRevenue,totalCost,day_0",
    "newsletter,,12,12,12,12",
    "newsletter,2026-01-05,12,12,12,12",
  ],
};
