import {
  boolean,
  data,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  position,
  text,
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { pagination, reportTaskExample } from "../../infra/http/openapi/shared-schemas.ts";
import { type Problem, problems } from "../../infra/http/response/problem.ts";
import { problemsOfRows } from "./await-rows.ts";

const fact = {
  kind: oneOf("touchpoint", "app_event", "spend_row", "metric_row"),
  position,
  channel: nullable(text),
  campaign: nullable(text),
  contribution: number,
};
const factOptional = {
  touchpointId: nullable(uuid),
  touchpointKind: text,
  eventId: uuid,
  countsFrom: position,
  occurredAt: text,
  category: text,
  userId: uuid,
  startEventId: uuid,
  requestId: uuid,
  row: integer,
  date: text,
  eventCategory: text,
  amount: object({ value: number, currency: nullable(text) }),
  rate: nullable(object({ date: text, appUnits: number, ownUnits: number })),
};
const part = object({
  part: oneOf("value", "numerator", "denominator"),
  counts: mapOf({}),
  sum: number,
  excluded: listOf(object({ because: text }, { count: integer, currencies: listOf(text) })),
  contributions: listOf(object(fact, factOptional)),
  pagination,
});

export const explainDocs = (notSucceeded: Problem, tooSlow: Problem) => ({
  summary: "Explain a cell of a report",
  description:
    "Returns the events and uploaded rows behind a cell, in pages whose contributions add up to the cell; with " +
    "`format=csv` all of them as CSV.",
  contract: "contract/reports.md#lineage",
  request: { row: ["january"], metric: "clicks" },
  responses: {
    200: [
      {
        schema: data(
          {
            taskId: uuid,
            report: text,
            asOfPosition: position,
            row: listOf(text),
            metric: text,
            value: nullable(number),
            isMasked: boolean,
            parts: listOf(part),
          },
          { date: text, interval: integer, times: number },
        ),
        example: {
          data: {
            taskId: reportTaskExample.taskId,
            report: "actuals",
            asOfPosition: "12345",
            row: ["january"],
            metric: "clicks",
            value: 1,
            isMasked: false,
            parts: [
              {
                part: "value",
                counts: { kind: "touchpoints", of: ["click"] },
                sum: 1,
                excluded: [],
                contributions: [
                  {
                    kind: "touchpoint",
                    touchpointId: "7d1c3f52-1f2d-4b0a-8c59-0f6a2f1b9e01",
                    position: "12340",
                    occurredAt: "2026-01-05T08:00:00.000Z",
                    touchpointKind: "click",
                    channel: "newsletter",
                    campaign: "january",
                    contribution: 1,
                  },
                ],
                pagination: { hasNext: false, totalCount: 1 },
              },
            ],
          },
        },
      },
      {
        mediaType: "text/csv",
        example: "part,kind,...,contribution\r\n",
        headers: ["Content-Disposition"] as const,
      },
    ],
  },
  problems: [problems.reportTaskNotFound, notSucceeded, tooSlow, ...problemsOfRows],
});
