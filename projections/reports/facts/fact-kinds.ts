/** The facts that a report reads. */
export const factKinds = ["touchpoints", "appEvents", "spend", "uploadedMetrics"] as const;

export type FactKind = (typeof factKinds)[number];
