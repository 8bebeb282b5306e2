import type { ObjectSchema } from "fast-json-stringify";
import serialiserOf from "fast-json-stringify";
import { metricMetadata } from "../../domain/reporting/actuals/metadata.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import { groupByFields, inLanguage, type QueryMetadata } from "../../domain/reporting/catalogue/query-metadata.ts";
import { languages } from "../../domain/values/language.ts";
import { appRoute, type Route, writtenJson } from "../../infra/http/routing/route.ts";
import { fieldGroups, fieldsDocs, metadataDocs, metadataSchema, metricGroups, metricsDocs } from "./docs.ts";

interface ReportMetadataQueries {
  /** The metrics that an app has uploaded, archived ones too. */
  uploadedMetrics(appId: number): Promise<readonly UploadedMetric[]>;
  /** Of every kind of query except actuals. */
  readonly described: readonly QueryMetadata[];
}

const serialiseFields = serialiserOf(fieldGroups as ObjectSchema);
const serialiseMetrics = serialiserOf(metricGroups as ObjectSchema);

/** The fields and metrics of queries: exactly those that their POST accepts (contract/reports.md#metadata). */
export function reportMetadataRoutes({ uploadedMetrics, described }: ReportMetadataQueries): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/dataspec/v2/apps/:app_name/actual-report/fields",
      crossOrigin: true,
      docs: fieldsDocs,
      operation: "report_metadata",
      handle: async ({ language }) => writtenJson(serialiseFields({ data: inLanguage(groupByFields, language) })),
    }),
    appRoute({
      method: "get",
      path: "/dataspec/v2/apps/:app_name/actual-report/metrics",
      crossOrigin: true,
      docs: metricsDocs,
      operation: "report_metadata",
      reads: "facts",
      handle: async ({ app, language }) =>
        writtenJson(serialiseMetrics({ data: metricMetadata(await uploadedMetrics(app.appId), language) })),
    }),
    ...described.flatMap((metadata) =>
      (["fields", "events", "metrics"] as const).map((listed) => metadataRoute(metadata, listed)),
    ),
  ];
}

/** One list of a kind of query, with its granularities and limits. */
function metadataRoute(metadata: QueryMetadata, listed: "fields" | "events" | "metrics"): Route {
  const { path, granularities, limits, [listed]: groups } = metadata;
  const serialise = serialiserOf(metadataSchema(metadata, listed) as ObjectSchema);
  const written = new Map(
    languages.map((language) => [language, serialise(inLanguage({ data: groups, granularities, limits }, language))]),
  );
  return appRoute({
    method: "get",
    path: `/dataspec/v2/apps/:app_name/${path}/${listed}`,
    crossOrigin: true,
    docs: metadataDocs(metadata, listed),
    operation: "report_metadata",
    handle: async ({ language }) => writtenJson(written.get(language) ?? ""),
  });
}
