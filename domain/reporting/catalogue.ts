import type { TargetCategory } from "../attribution/events.ts";
import type { TouchpointKind } from "../touchpoints/events.ts";

/** What an actuals report may ask at most (A: Limits, D7.6). */
export const actualsLimits = {
  days: 92,
  groupBys: 10,
  metrics: 20,
  filters: 100,
  rows: 10_000,
  page: 100,
  defaultPage: 50,
} as const;

/** Operators of filters. */
export const filterTypes = ["IN", "NOT IN"] as const;

/** Where an event came from and what it is (D7.3); `uploaded` comes with uploads. */
export const eventSources = { app: "app", web: "web", touchpoint: "tracking_link" } as const;
export const eventTypes = { target: "target", inApp: "in_app", touchpoint: "touchpoint" } as const;

/** The channel of an app event that no touchpoint won (D6.5). */
export const unattributedChannel = "unattributed";

/** Event categories that are attributed themselves (D6.1). */
export const targetCategories = [
  "app_install",
  "app_deeplink_open",
  "app_deeplink_pageview",
] as const satisfies readonly TargetCategory[];

/** Event categories that bring or take revenue (D7.5). */
export const revenueCategories = { adds: ["app_order_complete", "app_subscribe"], subtracts: ["app_order_cancel"] };

/** What reports can be grouped, filtered and sorted by (D7.3), and what each value says. Missing values are null. */
export const groupBys = {
  event_date: "Local date: 2026-03-31",
  event_year: "Local year: 2026",
  event_month: "Local month: 2026-03",
  event_week: "Monday of the local ISO week: 2026-03-30",
  event_day_of_week: "ISO number of the local day of the week: 1 is Monday, 7 Sunday",
  event_hour: "Local hour of the day: 00 to 23",
  event_source: "app, web or tracking_link",
  event_type: "target (attributed itself), in_app (any other app event) or touchpoint",
  event_category: "Category of the app event, custom ones as custom:<name>; click or impression",
  event_name: "The category, custom ones by their bare name",
  channel: "Channel of the touchpoint, or of the one that an app event is attributed to; else unattributed",
  channel_type: "integrated or custom",
  campaign: "Campaign",
  campaign_id: "Campaign id",
  ad_group: "Ad group",
  ad_group_id: "Ad group id",
  ad_creative: "Ad creative",
  ad_creative_id: "Ad creative id",
  content: "Content",
  term: "Term",
  term_id: "Term id",
  sub_publisher: "Sub-publisher",
  sub_sub_publisher_1: "First level below the sub-publisher",
  sub_sub_publisher_2: "Second level below the sub-publisher",
  sub_sub_publisher_3: "Third level below the sub-publisher",
  sub_id: "Sub-id",
  sub_id_1: "First further sub-id",
  sub_id_2: "Second further sub-id",
  sub_id_3: "Third further sub-id",
  tracking_link_id: "Id of the tracking link",
  touchpoint_type: "click or impression: the touchpoint itself, or the one that an app event is attributed to",
  is_reengagement: "true for links made for re-engagement (ON-TRUE), else false, as the link's detail says",
  os_name: "Android, iOS or Web",
  os_version: "Version of the operating system",
  app_version: "Version of the app",
  country: "ISO 3166 code, upper case",
  language: "Language of the device",
  device_model: "Device model",
  device_manufacturer: "Device manufacturer",
  device_type: "Device type",
  is_first_event_per_device_id: "Whether it is the device's first event of its category",
  is_first_event_per_user_id: "Whether it is the user's first event of its category",
  currency: "ISO 4217 code of the event's value",
} as const;

export type GroupByKey = keyof typeof groupBys;

export function isGroupByKey(key: string): key is GroupByKey {
  return Object.hasOwn(groupBys, key);
}

/** App events that a metric looks at; what is absent does not matter to it. */
export interface EventSelection {
  readonly categories?: readonly string[];
  readonly attributed?: boolean;
  /** The device's first event of its category, or a later one. */
  readonly first?: boolean;
}

/** How a metric is counted. Nothing but human touchpoints and app events counts. */
export type Metric =
  | { readonly kind: "touchpoints"; readonly of: readonly TouchpointKind[] }
  /** One count in the other, 0..1 in practice; null where the lower one is 0. */
  | { readonly kind: "ratio"; readonly of: readonly TouchpointKind[]; readonly per: readonly TouchpointKind[] }
  | { readonly kind: "events"; readonly of: EventSelection }
  /** Distinct devices with such an event. */
  | { readonly kind: "devices"; readonly of: EventSelection }
  /** Value of events, in the app's currency (D12). */
  | { readonly kind: "money"; readonly adds: EventSelection; readonly subtracts: readonly string[] };

const touchpointMetrics = {
  impressions: { kind: "touchpoints", of: ["impression"] },
  clicks: { kind: "touchpoints", of: ["click"] },
  touchpoints_impression_click: { kind: "touchpoints", of: ["impression", "click"] },
  ctr: { kind: "ratio", of: ["click"], per: ["impression"] },
} as const satisfies Record<string, Metric>;

const moneyMetrics = {
  app_event_value: { kind: "money", adds: {}, subtracts: [] },
  app_revenue: { kind: "money", adds: { categories: revenueCategories.adds }, subtracts: revenueCategories.subtracts },
} as const satisfies Record<string, Metric>;

const eventMetrics = {
  app_events: {},
  app_attributed_events: { attributed: true },
  app_installs: { categories: ["app_install"] },
  app_first_installs: { categories: ["app_install"], first: true },
  app_re_installs: { categories: ["app_install"], first: false },
  app_attributed_installs: { categories: ["app_install"], attributed: true },
  app_unattributed_installs: { categories: ["app_install"], attributed: false },
  app_deeplink_opens: { categories: ["app_deeplink_open"] },
  app_deeplink_pageviews: { categories: ["app_deeplink_pageview"] },
  app_opens: { categories: ["app_open"] },
  app_sign_up: { categories: ["app_sign_up"] },
  app_sign_in: { categories: ["app_sign_in"] },
  app_sign_out: { categories: ["app_sign_out"] },
  app_order_complete: { categories: ["app_order_complete"] },
  app_first_order_complete: { categories: ["app_order_complete"], first: true },
  app_order_cancel: { categories: ["app_order_cancel"] },
  app_add_to_cart: { categories: ["app_add_to_cart"] },
  app_product_view: { categories: ["app_product_view"] },
  app_subscribe: { categories: ["app_subscribe"] },
  app_ad_impression: { categories: ["app_ad_impression"] },
  app_ad_click: { categories: ["app_ad_click"] },
  app_uninstall: { categories: ["app_uninstall"] },
} as const satisfies Record<string, EventSelection>;

/** Metrics with a name of their own (D7.5). */
export const metrics: { readonly [key: string]: Metric } = {
  ...touchpointMetrics,
  ...Object.fromEntries(
    Object.entries<EventSelection>(eventMetrics).flatMap(([key, of]): readonly (readonly [string, Metric])[] => [
      [key, { kind: "events", of }],
      [`${key}_users`, { kind: "devices", of }],
    ]),
  ),
  ...moneyMetrics,
};

const customMetric = /^custom(?<users>_users)?:(?<name>\P{Cc}{1,128})$/u;

/** What a metric's key asks for, `custom:<name>` and `custom_users:<name>` included; null when there is no such metric. */
export function metricOf(key: string): Metric | null {
  if (Object.hasOwn(metrics, key)) return metrics[key] ?? null;
  const { users, name } = customMetric.exec(key)?.groups ?? {};
  if (name === undefined || name.trim() !== name) return null;
  return { kind: users === undefined ? "events" : "devices", of: { categories: [`custom:${name}`] } };
}
