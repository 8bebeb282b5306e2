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
  readonly type: "bigint" | "numeric";
  /** Cells add it up, or count the devices where it is above 0. */
  readonly combinedBy: "sum" | "devices";
}

export type NamedMeasure = Measure & { readonly name: string };

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
