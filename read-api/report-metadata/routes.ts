import type { ObjectSchema } from "fast-json-stringify";
import serialiserOf from "fast-json-stringify";
import { metricMetadata } from "../../domain/reporting/actuals/metadata.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import {
  type FieldGroup,
  groupByFields,
  inLanguage,
  type Named,
  type QueryMetadata,
} from "../../domain/reporting/catalogue/query-metadata.ts";
import { languages } from "../../domain/values/language.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { type Route, refuse, route, writtenJson } from "../../infra/http/routing/route.ts";

type Properties = { readonly [name: string]: object };

const text = { type: "string" } as const;
const named = { key: text, name: text, description: text };

function object(properties: Properties): ObjectSchema {
  return { type: "object", required: Object.keys(properties), properties: { ...properties } };
}

const list = (properties: Properties) => ({ type: "array", items: object(properties) });

/** Groups of fields, in the response of a metadata endpoint (contract/reports.md#metadata). */
const groupsOf = (field: Properties) =>
  list({ groupName: text, parentGroupName: { type: ["string", "null"] }, fields: list(field) });

/** What fields of metadata have besides their texts: flags, texts, numbers, and lists of keys. */
function propertiesOf(fields: readonly Named[]): Properties {
  const [first = {}] = fields;
  const properties = Object.entries(first).map(([name, value]) => {
    if (Array.isArray(value)) return [name, { type: "array", items: text }];
    return [
      name,
      typeof value === "boolean" ? { type: "boolean" } : typeof value === "number" ? { type: "integer" } : text,
    ];
  });
  return { ...named, ...Object.fromEntries(properties) };
}

const fieldsIn = (groups: readonly FieldGroup<Named>[]) => groups.flatMap(({ fields }) => fields);

interface ReportMetadataQueries {
  /** The metrics that an app has uploaded, archived ones too. */
  uploadedMetrics(appId: number): Promise<readonly UploadedMetric[]>;
  /** Of every kind of query but actuals. */
  readonly described: readonly QueryMetadata[];
}

const serialiseFields = serialiserOf(object({ data: groupsOf(propertiesOf(fieldsIn(groupByFields))) }));
const serialiseMetrics = serialiserOf(object({ data: groupsOf(named) }));

/** What queries can be made of: exactly what their POST accepts (contract/reports.md#metadata). */
export function reportMetadataRoutes({ uploadedMetrics, described }: ReportMetadataQueries): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/dataspec/v2/apps/:app_name/actual-report/fields",
      operation: "report_metadata",
      handle: async ({ app, language }) =>
        app === null
          ? refuse(problems.appNotFound)
          : writtenJson(serialiseFields({ data: inLanguage(groupByFields, language) })),
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
    ...described.flatMap((metadata) =>
      (["fields", "events", "metrics"] as const).map((listed) => metadataRoute(metadata, listed)),
    ),
  ];
}

/** One list of a kind of query, with its granularities and limits. */
function metadataRoute(metadata: QueryMetadata, listed: "fields" | "events" | "metrics"): Route {
  const { path, granularities, limits, [listed]: groups } = metadata;
  const serialise = serialiserOf(
    object({
      data: groupsOf(propertiesOf(fieldsIn(groups))),
      granularities: list(propertiesOf(granularities)),
      limits: list({ key: text, name: text, value: { type: "integer" } }),
    }),
  );
  const written = new Map(
    languages.map((language) => [language, serialise(inLanguage({ data: groups, granularities, limits }, language))]),
  );
  return route({
    method: "get",
    path: `/dataspec/v2/apps/:app_name/${path}/${listed}`,
    operation: "report_metadata",
    handle: async ({ app, language }) =>
      app === null ? refuse(problems.appNotFound) : writtenJson(written.get(language) ?? ""),
  });
}
