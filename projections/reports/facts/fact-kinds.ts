/** The facts that a report reads: each kind is a table. */
export const factTables = {
  touchpoints: "touchpoints",
  appEvents: "app_events",
  spend: "spend",
  uploadedMetrics: "uploaded_metrics",
} as const;

export type FactKind = keyof typeof factTables;

export const factKinds = Object.keys(factTables) as readonly FactKind[];
