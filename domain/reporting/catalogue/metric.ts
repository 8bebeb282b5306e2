import type { TouchpointKind } from "../../touchpoints/events.ts";
import type { Translated } from "../../values/language.ts";

/** Conditions on the app events of a metric; absent ones do not restrict it. */
export interface EventSelection {
  readonly categories?: readonly string[];
  readonly attributed?: boolean;
  /** The device's first event of its category, or a later one. */
  readonly first?: boolean;
}

/** A metric that reads one kind of facts. Only human touchpoints, app events and uploaded rows in force count. */
export type SimpleMetric =
  | { readonly kind: "touchpoints"; readonly of: readonly TouchpointKind[] }
  | { readonly kind: "events"; readonly of: EventSelection }
  /** Distinct devices with such an event. */
  | { readonly kind: "devices"; readonly of: EventSelection }
  /** Value of events, in the app's currency (contract/money.md#conversion). */
  | { readonly kind: "money"; readonly adds: EventSelection; readonly subtracts: readonly string[] }
  /** A sum over uploaded ad spend. */
  | { readonly kind: "spend"; readonly of: "impressions" | "clicks" }
  /** Cost of ad spend uploads, in the app's currency (contract/money.md#conversion). */
  | { readonly kind: "cost" }
  /**
   * Values of an uploaded metric: amounts in the app's currency (contract/money.md#conversion), values without a
   * currency as they are.
   */
  | { readonly kind: "uploaded"; readonly category: string };

/** The ratio of two metrics, times a number; null if the denominator is 0 or unknown. */
export interface RatioMetric {
  readonly kind: "ratio";
  readonly of: SimpleMetric;
  readonly per: SimpleMetric;
  readonly times: number;
}

/** How a metric is counted. */
export type Metric = SimpleMetric | RatioMetric;

/** The simple metrics that a metric consists of: itself, or both parts of a ratio. */
export function partsOf(metric: Metric): readonly SimpleMetric[] {
  return metric.kind === "ratio" ? [metric.of, metric.per] : [metric];
}

/**
 * A category of metric uploads that an app has: an archived one is hidden from metadata and refused in new queries
 * (contract/administration.md#archived-metrics).
 */
export interface UploadedMetric {
  readonly eventCategory: string;
  readonly archived: boolean;
}

/** A metric of the catalogue, with its texts for the metadata endpoint. */
export interface CatalogueMetric {
  readonly name: Translated;
  readonly description: Translated;
  readonly metric: Metric;
}

/** Metrics of the catalogue by their keys. */
export type CatalogueMetrics = { readonly [key: string]: CatalogueMetric };

export function catalogueMetric(name: Translated, description: Translated, metric: Metric): CatalogueMetric {
  return { name, description, metric };
}

/** A ratio of two metrics, times a number. */
export function ratio(of: SimpleMetric, per: SimpleMetric, times: number): Metric {
  return { kind: "ratio", of, per, times };
}
