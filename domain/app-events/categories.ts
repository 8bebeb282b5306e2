import type { TargetCategory } from "../attribution/events.ts";

interface CategoryRow {
  /** The metric that counts the category; null: none. */
  readonly metric: string | null;
  /** Whether its events are attributed (contract/attribution.md#target-events). */
  readonly target: boolean;
}

/** The event categories (contract/reports.md#event-categories). Some metrics are plural. */
export const appEventCategories = {
  app_install: { metric: "app_installs", target: true },
  app_open: { metric: "app_opens", target: false },
  app_foreground: { metric: null, target: false },
  app_deeplink_open: { metric: "app_deeplink_opens", target: true },
  app_deeplink_pageview: { metric: "app_deeplink_pageviews", target: true },
  app_uninstall: { metric: "app_uninstall", target: false },
  app_sign_up: { metric: "app_sign_up", target: false },
  app_sign_in: { metric: "app_sign_in", target: false },
  app_sign_out: { metric: "app_sign_out", target: false },
  app_home_screen: { metric: null, target: false },
  app_product_catalog: { metric: null, target: false },
  app_search_results: { metric: null, target: false },
  app_product_view: { metric: "app_product_view", target: false },
  app_add_to_cart: { metric: "app_add_to_cart", target: false },
  app_order_complete: { metric: "app_order_complete", target: false },
  app_order_cancel: { metric: "app_order_cancel", target: false },
  app_subscribe: { metric: "app_subscribe", target: false },
  app_ad_impression: { metric: "app_ad_impression", target: false },
  app_ad_click: { metric: "app_ad_click", target: false },
} as const satisfies Readonly<Record<string, CategoryRow>>;

export type AppEventCategory = keyof typeof appEventCategories;

const customPrefix = "custom:";
const customName = /^\P{Cc}{1,128}$/u;

/**
 * Whether a text is an event category (contract/reports.md#event-categories), or `custom:<name>`, the name 1-128
 * characters without outer white space.
 */
export function isEventCategory(text: string): boolean {
  if (Object.hasOwn(appEventCategories, text)) return true;
  const name = customEventName(text);
  return name !== null && customName.test(name) && name.trim() === name;
}

/** The name of a custom event; null for every other category. */
export function customEventName(category: string): string | null {
  return category.startsWith(customPrefix) ? category.slice(customPrefix.length) : null;
}

/** Whether events of a category are attributed (contract/attribution.md#target-events). */
export function isTargetCategory(category: string): category is TargetCategory {
  const rows: Readonly<Record<string, CategoryRow>> = appEventCategories;
  return Object.hasOwn(rows, category) && rows[category]?.target === true;
}

/** The category that a metric counts (`app_installs`: `app_install`); null if it counts none. */
export function categoryOfMetric(metric: string): AppEventCategory | null {
  for (const [category, row] of Object.entries(appEventCategories)) {
    if (row.metric === metric) return category as AppEventCategory;
  }
  return null;
}
