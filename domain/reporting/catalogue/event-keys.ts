import { appEventCategories, categoryOfMetric, isEventCategory } from "../../app-events/categories.ts";
import type { EventSelection } from "./metric.ts";

/** The event key of any app event. */
export const anyEvent = "app_events";

/** The event key of the first order of a device. */
const firstOrder = "app_first_order_complete";

/** The event keys of app events with a name of their own: categories, and the plural keys of reports. */
export const appEventKeys: readonly string[] = [
  ...Object.entries(appEventCategories).flatMap(([category, metric]) =>
    metric === null || metric === category ? [category] : [category, metric],
  ),
  firstOrder,
];

/**
 * The app events that an event key selects (contract/reports.md#event-categories); null for an unknown key. A category
 * selects itself, `app_installs` selects `app_install`, `app_first_order_complete` the first order of a device.
 */
export function selectionOf(key: string): EventSelection | null {
  if (key === firstOrder) return { categories: ["app_order_complete"], first: true };
  const category = isEventCategory(key) ? key : categoryOfMetric(key);
  return category === null ? null : { categories: [category] };
}
