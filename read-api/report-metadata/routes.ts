import type { ObjectSchema } from "fast-json-stringify";
import serialiserOf from "fast-json-stringify";
import { groupByMetadata, metricMetadata } from "../../domain/reporting/catalogue/metadata.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { type Route, refuse, route, writtenJson } from "../../infra/http/routing/route.ts";

const text = { type: "string" } as const;

/** The response of a metadata endpoint (contract/reports.md#metadata). */
function groupsOf(fields: { readonly [key: string]: object }): ObjectSchema {
  return {
    type: "object",
    required: ["data"],
    properties: {
      data: {
        type: "array",
        items: {
          type: "object",
          required: ["groupName", "parentGroupName", "fields"],
          properties: {
            groupName: text,
            parentGroupName: { type: ["string", "null"] },
            fields: {
              type: "array",
              items: { type: "object", required: Object.keys(fields), properties: { ...fields } },
            },
          },
        },
      },
    },
  };
}

/** Response of `actual-report/fields`. */
const fieldGroups = groupsOf({
  key: text,
  name: text,
  example: text,
  description: text,
  serveToFilter: { type: "boolean" },
});

/** Response of `actual-report/metrics`. */
const metricGroups = groupsOf({ key: text, name: text, description: text });

interface ReportMetadataQueries {
  /** The metrics that an app has uploaded, archived ones too. */
  uploadedMetrics(appId: number): Promise<readonly UploadedMetric[]>;
}

const serialiseFields = serialiserOf(fieldGroups);
const serialiseMetrics = serialiserOf(metricGroups);

/**
 * The fields and metrics of actuals reports (contract/reports.md#actuals): exactly those that the POST accepts
 * (contract/reports.md#metrics).
 */
export function reportMetadataRoutes({ uploadedMetrics }: ReportMetadataQueries): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/dataspec/v2/apps/:app_name/actual-report/fields",
      operation: "report_metadata",
      handle: async ({ app, language }) =>
        app === null ? refuse(problems.appNotFound) : writtenJson(serialiseFields({ data: groupByMetadata(language) })),
    }),
    route({
      method: "get",
      path: "/dataspec/v2/apps/:app_name/actual-report/metrics",
      operation: "report_metadata",
      reads: "facts",
      handle: async ({ app, language }) => {
        if (app === null) return refuse(problems.appNotFound);
        return writtenJson(serialiseMetrics({ data: metricMetadata(await uploadedMetrics(app.appId), language) }));
      },
    }),
  ];
}
