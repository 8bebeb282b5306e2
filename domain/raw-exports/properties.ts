import { date, type GroupByKey, groupBys } from "../reporting/catalogue/group-bys.ts";

/**
 * Type of a property in a typed file. In CSV, cells of `number` and `integer` are not neutralised as formulas.
 */
export type PropertyType = "string" | "boolean" | "integer" | "number" | "instant" | "json";

const groupByTypes: { readonly [key: string]: PropertyType } = {
  tracking_link_id: "integer",
  is_reengagement: "boolean",
  is_first_event_per_device_id: "boolean",
  is_first_event_per_user_id: "boolean",
};

/** Properties of single events, in addition to the group-bys of reports (contract/exports.md#requesting). */
const eventProperties = {
  event_datetime: "instant",
  event_timestamp: "integer",
  event_id: "string",
  device_id: "string",
  user_id: "string",
  external_user_id: "string",
  event_value: "number",
  event_currency: "string",
  event_action: "string",
  event_label: "string",
  event_properties: "json",
  match_type: "string",
  attributed_touchpoint_datetime: "instant",
  click_id: "string",
  ip: "string",
  user_agent: "string",
} as const satisfies { readonly [key: string]: PropertyType };

export type EventProperty = keyof typeof eventProperties;
export type GroupByProperty = Exclude<GroupByKey, keyof typeof date>;
export type PropertyKey = EventProperty | GroupByProperty;

/**
 * Every property of an export (contract/exports.md#requesting) and its type: the group-bys of reports except dates,
 * then those of single events.
 */
export const rawExportProperties: { readonly [key in PropertyKey]: PropertyType } = {
  ...(Object.fromEntries(
    Object.keys(groupBys)
      .filter((key) => !Object.hasOwn(date, key))
      .map((key) => [key, groupByTypes[key] ?? "string"]),
  ) as { readonly [key in GroupByProperty]: PropertyType }),
  ...eventProperties,
};

export function isPropertyKey(key: string): key is PropertyKey {
  return Object.hasOwn(rawExportProperties, key);
}

export function isEventProperty(key: PropertyKey): key is EventProperty {
  return Object.hasOwn(eventProperties, key);
}
