import { appEventKeys, selectionOf } from "../reporting/catalogue/event-keys.ts";
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

/** The event keys of a type with a name of their own. */
export function eventKeysOf(type: RawExportType): readonly string[] {
  return type === "tracking-link" ? touchpointKinds : appEventKeys;
}
