/** The event categories (contract/reports.md#event-categories), and the metric that counts each; null: none. */
export const appEventCategories = {
  app_install: "app_installs",
  app_open: "app_opens",
  app_foreground: null,
  app_deeplink_open: "app_deeplink_opens",
  app_deeplink_pageview: "app_deeplink_pageviews",
  app_uninstall: "app_uninstall",
  app_sign_up: "app_sign_up",
  app_sign_in: "app_sign_in",
  app_sign_out: "app_sign_out",
  app_home_screen: null,
  app_product_catalog: null,
  app_search_results: null,
  app_product_view: "app_product_view",
  app_add_to_cart: "app_add_to_cart",
  app_order_complete: "app_order_complete",
  app_order_cancel: "app_order_cancel",
  app_subscribe: "app_subscribe",
  app_ad_impression: "app_ad_impression",
  app_ad_click: "app_ad_click",
} as const satisfies Readonly<Record<string, string | null>>;

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
  return name !== null && isCustomEventName(name);
}

/** Whether a name can follow `custom:`: 1 to 128 characters, none of them a control character, without outer white space. */
export function isCustomEventName(name: string): boolean {
  return customName.test(name) && name.trim() === name;
}

/** The name of a custom event; null for every other category. */
export function customEventName(category: string): string | null {
  return category.startsWith(customPrefix) ? category.slice(customPrefix.length) : null;
}

/** The category that a metric counts (`app_installs`: `app_install`); null if it counts none. */
export function categoryOfMetric(metric: string): AppEventCategory | null {
  for (const [category, counting] of Object.entries(appEventCategories)) {
    if (counting === metric) return category as AppEventCategory;
  }
  return null;
}
