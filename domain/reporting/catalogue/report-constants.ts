/**
 * Where an event came from and what it is (contract/reports.md#group-bys). Uploaded rows say their own source, or none.
 */
export const eventSources = { app: "app", web: "web", touchpoint: "tracking_link" } as const;
export const eventTypes = {
  target: "target",
  inApp: "in_app",
  touchpoint: "touchpoint",
  uploaded: "uploaded",
} as const;

/** The channel of an app event that no touchpoint won (contract/attribution.md#revisions). */
export const unattributedChannel = "unattributed";

/** Event categories that add or subtract revenue (contract/reports.md#metrics). */
export const revenueCategories = { adds: ["app_order_complete", "app_subscribe"], subtracts: ["app_order_cancel"] };
