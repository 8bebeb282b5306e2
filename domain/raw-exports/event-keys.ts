import { appEventCategories, categoryOfMetric, isEventCategory } from "../app-events/categories.ts";
import type { EventSelection } from "../reporting/catalogue/metric.ts";
import type { TouchpointKind } from "../touchpoints/events.ts";
import type { RawExportType } from "./events.ts";

const touchpointKinds: readonly TouchpointKind[] = ["impression", "click"];

/**
 * Whether an export of a type can contain an event key (contract/exports.md#requesting): touchpoints, or event
 * categories (contract/reports.md#event-categories) and their plural report keys.
 */
export function isEventKey(type: RawExportType, key: string): boolean {
  if (type === "tracking-link") return touchpointKinds.some((kind) => kind === key);
  return selectionOf(key) !== null;
}

/** The event keys of a type with a name of their own, to suggest one of them. */
export function eventKeysOf(type: RawExportType): readonly string[] {
  if (type === "tracking-link") return touchpointKinds;
  const categories = Object.entries(appEventCategories);
  return categories.flatMap(([category, { metric }]) => (metric === null ? [category] : [category, metric]));
}

/**
 * The app events that an event key selects; null for an unknown key. A category selects itself, `app_installs` selects
 * `app_install`, `app_first_order_complete` for the first order of a device.
 */
export function selectionOf(key: string): EventSelection | null {
  if (key === "app_first_order_complete") return { categories: ["app_order_complete"], first: true };
  const category = isEventCategory(key) ? key : categoryOfMetric(key);
  return category === null ? null : { categories: [category] };
}
