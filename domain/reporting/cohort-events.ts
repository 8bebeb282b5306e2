import type { RetentionQuery } from "../report-tasks/events.ts";
import type { EventSelection } from "./catalogue/metric.ts";

/**
 * Categories of app events that start events of retention stand for (contract/reports.md#retention,
 * contract/reports.md#event-categories).
 */
export const startCategories = {
  app_installs: "app_install",
  app_deeplink_opens: "app_deeplink_open",
  app_deeplink_pageviews: "app_deeplink_pageview",
} as const satisfies { readonly [event in RetentionQuery["startEvents"][number]]: string };

/**
 * App events that return events of cohorts stand for (contract/reports.md#retention,
 * contract/reports.md#event-categories).
 */
export const returnSelections = {
  app_order_complete: { categories: ["app_order_complete"] },
  app_first_order_complete: { categories: ["app_order_complete"], first: true },
  app_ad_impression: { categories: ["app_ad_impression"] },
  app_ad_click: { categories: ["app_ad_click"] },
  app_subscribe: { categories: ["app_subscribe"] },
} as const satisfies { readonly [event in RetentionQuery["returnEvents"][number]]: EventSelection };
