import type { TargetCategory } from "./events.ts";

/** The categories of events that get attributed (contract/attribution.md#target-events). */
export const targetCategories = [
  "app_install",
  "app_deeplink_open",
  "app_deeplink_pageview",
] as const satisfies readonly TargetCategory[];

export function isTargetCategory(category: string): category is TargetCategory {
  return targetCategories.some((target) => target === category);
}

/** Keys of the identifiers by which devices and touchpoints match; null: not sent. */
export interface Identifiers {
  readonly gaidKey: bigint | null;
  readonly idfaKey: bigint | null;
  readonly idfvKey: bigint | null;
  /** UUID (contract/ingest.md#devices). */
  readonly deviceKey: string | null;
}

/** The properties of a target event that its attribution depends on. */
export interface TargetEvent extends Identifiers {
  readonly appId: number;
  readonly eventId: string;
  readonly category: TargetCategory;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  readonly position: bigint;
  readonly deviceKey: string;
}
