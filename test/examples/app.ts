import type { AppRegistered } from "../../domain/apps/events.ts";

/** The shop whose days are those of Seoul. */
export const shop = {
  appId: 1,
  name: "shop",
  timezone: "Asia/Seoul",
  currency: "KRW",
  companyName: null,
  ownerEmail: "owner@shop.example",
  iosStoreId: "123456789",
  androidPackage: "example.shop",
  iosStoreUrl: null,
  androidStoreUrl: null,
  desktopUrl: "https://shop.example/",
  redirectHosts: [],
  salt: "00".repeat(32),
  tokenIds: { api: "a".repeat(32), link: "b".repeat(32), sdk: "c".repeat(32), web: "d".repeat(32) },
} as const satisfies AppRegistered["data"];

export const shopRegistered: AppRegistered = { type: "AppRegistered", data: shop };
