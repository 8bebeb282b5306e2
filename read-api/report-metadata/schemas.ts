import type { ObjectSchema } from "fast-json-stringify";

const text = { type: "string" } as const;

/** The answer of a metadata endpoint (contract/reports.md#metadata), its fields as given. */
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

/** Answer of `actual-report/fields`. */
export const fieldGroups = groupsOf({
  key: text,
  name: text,
  example: text,
  description: text,
  serveToFilter: { type: "boolean" },
});

/** Answer of `actual-report/metrics`. */
export const metricGroups = groupsOf({ key: text, name: text, description: text });
