/** The facts that a report reads: each kind is a table. */
export const factTables = {
  touchpoints: "touchpoints",
  appEvents: "app_events",
  spend: "spend",
  uploadedMetrics: "uploaded_metrics",
} as const;

export type FactKind = keyof typeof factTables;

export const factKinds = Object.keys(factTables) as readonly FactKind[];

/** One aggregate over one kind of facts. */
export interface Measure {
  readonly over: FactKind;
  /** The aggregate in SQL; of `devices`, how many such facts a single device has. */
  readonly aggregate: string;
  readonly type: "bigint" | "numeric" | "integer";
  /** Cells add it up, count the devices where it is above 0, or tell every bit that is set anywhere. */
  readonly combinedBy: "sum" | "devices" | "bits";
}

export type NamedMeasure = Measure & { readonly name: string };

/** A measure of cells by what was measured of their parts: of kinds of facts, or of devices. */
export function combined({ name, combinedBy }: NamedMeasure, parts: "kinds" | "devices"): string {
  if (combinedBy === "bits") return `bit_or(${name})`;
  return combinedBy === "devices" && parts === "devices" ? `count(*) filter (where ${name} > 0)` : `sum(${name})`;
}

/** Collects what a statement measures. Metrics that need the same measure share it. */
export interface Measures {
  /** The name of a measure's column. */
  add(measure: Measure): string;
  all(): readonly NamedMeasure[];
}

export function measures(): Measures {
  const named = new Map<string, NamedMeasure>();
  return {
    add: (measure) => {
      const key = JSON.stringify([measure.over, measure.aggregate, measure.combinedBy]);
      const name = named.get(key)?.name ?? `a${named.size}`;
      named.set(key, { ...measure, name });
      return name;
    },
    all: () => [...named.values()],
  };
}
