import {
  type FieldGroup,
  groupByFields,
  inLanguage,
  type Named,
  type QueryMetadata,
} from "../../domain/reporting/catalogue/query-metadata.ts";
import { boolean, integer, listOf, nullable, object, text } from "../../infra/http/openapi/route-docs.ts";

// The schemas of these responses serialise them too.

type Properties = Parameters<typeof object>[0];

const named = { key: text, name: text, description: text };

/** Groups of fields in the response of a metadata endpoint (contract/reports.md#metadata). */
const groupsOf = (field: Properties) =>
  listOf(object({ groupName: text, parentGroupName: nullable(text), fields: listOf(object(field)) }));

/** Further properties of metadata fields: flags, texts, numbers, and lists of keys. */
function propertiesOf(fields: readonly Named[]): Properties {
  const [first = {}] = fields;
  const properties = Object.entries(first).map(([name, value]) => {
    if (Array.isArray(value)) return [name, listOf(text)];
    return [name, typeof value === "boolean" ? boolean : typeof value === "number" ? integer : text];
  });
  return { ...named, ...Object.fromEntries(properties) };
}

const fieldsIn = (groups: readonly FieldGroup<Named>[]) => groups.flatMap(({ fields }) => fields);

const contract = "contract/reports.md#metadata";

/** Response of `actual-report/fields`. */
export const fieldGroups = object({ data: groupsOf(propertiesOf(fieldsIn(groupByFields))) });

/** Response of `actual-report/metrics`. */
export const metricGroups = object({ data: groupsOf(named) });

export const fieldsDocs = {
  summary: "List the fields of actuals reports",
  description: "Returns the group-bys and filters that a report request may use, in the language of the caller.",
  contract,
  responses: {
    200: {
      schema: fieldGroups,
      example: {
        data: [
          {
            groupName: "Channel",
            parentGroupName: null,
            fields: [
              { key: "channel", name: "Channel", example: "google.adwords", description: "...", serveToFilter: true },
            ],
          },
        ],
      },
    },
  },
};

export const metricsDocs = {
  summary: "List the metrics of actuals reports",
  description: "Returns the metrics that a report request may use, also uploaded ones, in the language of the caller.",
  contract,
  responses: {
    200: {
      schema: metricGroups,
      example: {
        data: [
          {
            groupName: "Touchpoints",
            parentGroupName: null,
            fields: [{ key: "clicks", name: "Clicks", description: "..." }],
          },
        ],
      },
    },
  },
};

type Listed = "fields" | "events" | "metrics";

/** The response with a list of a kind of query, with its granularities and limits. */
export function metadataSchema({ granularities, ...metadata }: QueryMetadata, listed: Listed) {
  return object({
    data: groupsOf(propertiesOf(fieldsIn(metadata[listed]))),
    granularities: listOf(object(propertiesOf(granularities))),
    limits: listOf(object({ key: text, name: text, value: integer })),
  });
}

export function metadataDocs(metadata: QueryMetadata, listed: Listed) {
  const { path, granularities, limits, [listed]: groups } = metadata;
  const firstOfEach = groups.slice(0, 1).map(({ fields, ...group }) => ({ ...group, fields: fields.slice(0, 1) }));
  return {
    summary: `List the ${listed} of the ${path.replaceAll("-", " ")}`,
    description:
      "Returns what a report request may use, with its granularities and limits, in the language of the caller.",
    contract,
    responses: {
      200: {
        schema: metadataSchema(metadata, listed),
        example: inLanguage({ data: firstOfEach, granularities, limits }, "en"),
      },
    },
  };
}

export const valuesDocs = {
  summary: "List the values of a field",
  description:
    "Returns the values of a field in a range of dates, as far as the token may see them, filtered by `prefix`. " +
    "For the pickers of filters.",
  contract: "contract/reports.md#values",
  responses: {
    200: {
      schema: object({ data: object({ field: text, values: listOf(text) }), pagination: object({ hasNext: boolean }) }),
      example: { data: { field: "channel", values: ["newsletter", "partner"] }, pagination: { hasNext: false } },
    },
  },
  problems: [{ status: 503, code: "VALUES_TOO_SLOW" }],
};
