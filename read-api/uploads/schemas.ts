import { asOfParameter } from "../as-of.ts";

export const historyPage = { size: 50, mostSize: 500 };

/** `asOf` goes with `format=csv`, `skip` and `size` with JSON. */
export const historyQuery = {
  type: "object",
  properties: {
    skip: { type: "integer", minimum: 0 },
    size: { type: "integer", minimum: 1, maximum: historyPage.mostSize },
    format: { type: "string", enum: ["json", "csv"] },
    asOf: asOfParameter,
  },
} as const;

export const rowsQuery = {
  type: "object",
  required: ["kind"],
  properties: {
    kind: { type: "string", enum: ["ad_spend", "metric"] },
    from: { type: "string", format: "local-date" },
    to: { type: "string", format: "local-date" },
    asOf: asOfParameter,
  },
} as const;
