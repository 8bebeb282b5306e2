import { type Fault, fault } from "../fault.ts";
import type { EventSelection, SimpleMetric } from "./catalogue/metric.ts";
import type { Granularity } from "./granularity.ts";

/**
 * The category of app events of each start event of a retention report (contract/reports.md#retention,
 * contract/reports.md#event-categories).
 */
export const startCategories = {
  app_installs: "app_install",
  app_deeplink_opens: "app_deeplink_open",
  app_deeplink_pageviews: "app_deeplink_pageview",
} as const;

/** The app events of each return event of a cohort (contract/reports.md#retention, contract/reports.md#event-categories). */
export const returnSelections = {
  app_order_complete: { categories: ["app_order_complete"] },
  app_first_order_complete: { categories: ["app_order_complete"], first: true },
  app_ad_impression: { categories: ["app_ad_impression"] },
  app_ad_click: { categories: ["app_ad_click"] },
  app_subscribe: { categories: ["app_subscribe"] },
} as const satisfies { readonly [event: string]: EventSelection };

export type ReturnEvent = keyof typeof returnSelections;

/** All app events of several return events. Only a single return event keeps its condition on first events. */
export function returnSelectionOf(returnEvents: readonly ReturnEvent[]): EventSelection {
  const selections: readonly EventSelection[] = returnEvents.map((event) => returnSelections[event]);
  const [only, ...others] = selections;
  if (only !== undefined && others.length === 0) return only;
  return { categories: [...new Set(selections.flatMap(({ categories = [] }) => categories))] };
}

/** The app events that a cohort report reads: starts of some categories, and returns. */
export function cohortMetrics(
  starts: readonly string[],
  returnEvents: readonly ReturnEvent[],
): readonly SimpleMetric[] {
  const selections: readonly EventSelection[] = returnEvents.map((event) => returnSelections[event]);
  const categories = new Set([...starts, ...selections.flatMap((selection) => selection.categories ?? [])]);
  return [{ kind: "events", of: { categories: [...categories] } }];
}

/** Hours and minutes are counted from installs alone (contract/reports.md#intervals). */
export function validateStartGranularity(granularity: Granularity, areInstalls: boolean): readonly Fault[] {
  const isElapsed = granularity === "hour" || granularity === "minute";
  if (!isElapsed || areInstalls) return [];
  return [fault("not_allowed.fine_granularity", ["granularity"])];
}
