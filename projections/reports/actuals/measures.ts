import type { FactKind } from "../facts/fact-kinds.ts";

/** One aggregate over one kind of facts. */
export interface Measure {
  readonly over: FactKind;
  /** The aggregate in SQL; of `devices`, the condition that one of a device's facts must meet. */
  readonly aggregate: string;
  readonly type: "bigint" | "numeric" | "integer";
  /** Cells add it up, count the devices that meet it, or tell every bit that is set anywhere. */
  readonly combinedBy: "sum" | "devices" | "bits";
}

export type NamedMeasure = Measure & { readonly name: string };

/** A measure of cells by what was measured of their parts. */
export function combined({ name, combinedBy }: NamedMeasure): string {
  return combinedBy === "bits" ? `bit_or(${name})` : `sum(${name})`;
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
