import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import { shop } from "./app.ts";
import { exampleUuid } from "./recorded-log.ts";

export const phone = exampleUuid("device", 1);

/** The app was installed on the phone from the click's place an hour after it; nothing names the click. */
export function anInstall(changes: Partial<AppEventRecorded["data"]> = {}): AppEventRecorded {
  return {
    type: "AppEventRecorded",
    data: {
      eventId: exampleUuid("install", 1),
      appId: shop.appId,
      at: "2026-03-01T10:00:00.000Z",
      source: "app",
      category: "app_install",
      action: null,
      label: null,
      value: null,
      currency: null,
      properties: null,
      deviceKey: phone,
      device: { os: "Android", osVersion: "15", country: "KR", language: "ko", appVersion: "1.0" },
      clickId: null,
      person: { deviceId: "phone", ip: "203.0.113.7" },
      ...changes,
    },
  };
}

/** Its owner bought for 10,000 won two hours later. */
export function anOrder(changes: Partial<AppEventRecorded["data"]> = {}): AppEventRecorded {
  return anInstall({
    eventId: exampleUuid("order", 1),
    at: "2026-03-01T12:00:00.000Z",
    category: "app_order_complete",
    value: "10000",
    currency: "KRW",
    ...changes,
  });
}
