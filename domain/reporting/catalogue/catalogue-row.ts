import type { Translated } from "../../values/language.ts";
import type { Metric, SimpleMetric } from "./metric.ts";

/** A metric of the catalogue, with its texts for the metadata endpoint. */
export interface CatalogueMetric {
  readonly name: Translated;
  readonly description: Translated;
  readonly metric: Metric;
}

/** Rows of the catalogue by their keys. */
export type Rows = { readonly [key: string]: CatalogueMetric };

export function row(name: Translated, description: Translated, metric: Metric): CatalogueMetric {
  return { name, description, metric };
}

/** One metric in another, times a number. */
export function ratio(of: SimpleMetric, per: SimpleMetric, times: number): Metric {
  return { kind: "ratio", of, per, times };
}
