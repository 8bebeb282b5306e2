import type { RawExportAt } from "../../projections/raw-exports/statement.ts";
import { reportDays } from "./report-data.ts";
import { reportApp } from "./report-dimensions.ts";

/**
 * App events of the generated data with 12 properties: over 2 million rows at full size. Requests are limited to fewer
 * days.
 */
export const exported: RawExportAt = {
  appId: reportApp.id,
  timezone: reportApp.timezone,
  query: {
    type: "app",
    start: `${reportDays.from} 00:00:00`,
    end: "2026-03-08 23:59:59",
    events: [
      "app_installs",
      "app_open",
      "app_product_view",
      "app_add_to_cart",
      "app_order_complete",
      "app_sign_in",
      "app_ad_impression",
      "custom:level_up",
    ],
    properties: [
      "event_datetime",
      "event_id",
      "event_category",
      "device_id",
      "external_user_id",
      "channel",
      "campaign",
      "ad_group",
      "os_name",
      "country",
      "event_value",
      "event_currency",
    ],
    filters: [],
  },
  position: 10n ** 15n,
  now: new Date("2026-04-02T14:59:59.000Z"),
};
