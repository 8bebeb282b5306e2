import { categoryOfMetric, isEventCategory } from "../app-events/categories.ts";
import type { EventSelection } from "../reporting/catalogue/metric.ts";
import type { TouchpointKind } from "../touchpoints/events.ts";
import type { RawExportType } from "./events.ts";

const touchpointKinds: readonly TouchpointKind[] = ["impression", "click"];

/**
 * Whether an event key can stand in an export of a type (contract/exports.md#requesting): touchpoints, or event
 * categories (contract/reports.md#event-categories) and their plural report keys.
 */
export function isEventKey(type: RawExportType, key: string): boolean {
  if (type === "tracking-link") return touchpointKinds.some((kind) => kind === key);
  return selectionOf(key) !== null;
}

/**
 * The app events that an event key stands for; null for a key that stands for none. A category stands for itself,
 * `app_installs` for `app_install`, `app_first_order_complete` for the first order of a device.
 */
export function selectionOf(key: string): EventSelection | null {
  if (key === "app_first_order_complete") return { categories: ["app_order_complete"], first: true };
  const category = isEventCategory(key) ? key : categoryOfMetric(key);
  return category === null ? null : { categories: [category] };
}
