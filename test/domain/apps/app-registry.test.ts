import fc from "fast-check";
import { suite } from "uvu";
import { appRegistry, type RegisterApp } from "../../../domain/apps/app-registry.ts";
import type { AppRegistryEvent } from "../../../domain/apps/events.ts";
import { rejectField } from "../../../domain/decider.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

const { appId: _appId, salt, tokenIds, ...settings } = shop;
const registerShop: RegisterApp = { settings, salt, tokenIds };
const registerCafe: RegisterApp = {
  settings: { ...settings, name: "cafe", iosStoreId: null },
  salt: "11".repeat(32),
  tokenIds,
};
const cafeRegistered: AppRegistryEvent = {
  type: "AppRegistered",
  data: { ...shop, name: "cafe", iosStoreId: null, salt: "11".repeat(32), appId: 2 },
};

const { given } = specification(appRegistry);

const registry = suite("the registry of apps");

registry("numbers apps from 1 in the order of registration", () => {
  given().when(registerShop).then([shopRegistered]);
  given(shopRegistered).when(registerCafe).then([cafeRegistered]);
});

registry("gives a name away once and for ever", () => {
  given(shopRegistered, cafeRegistered)
    .when({ ...registerShop, salt: "22".repeat(32) })
    .then(rejectField("APP_NAME_TAKEN", ["body", "name"], { name: "shop" }));
});

registry("gives a store id on iOS to one app, for ever", () => {
  const cafe = (iosStoreId: string | null): RegisterApp => ({
    ...registerCafe,
    settings: { ...registerCafe.settings, iosStoreId },
  });
  given(shopRegistered)
    .when(cafe(shop.iosStoreId))
    .then(rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]));
  for (const free of [`${shop.iosStoreId}0`, null]) {
    given(shopRegistered)
      .when(cafe(free))
      .then([{ type: "AppRegistered", data: { ...cafeRegistered.data, iosStoreId: free } }]);
  }
  given(shopRegistered)
    .when({ ...registerShop, salt: "22".repeat(32) })
    .then(rejectField("APP_NAME_TAKEN", ["body", "name"], { name: "shop" }));
});

registry("decides twice as once, whatever was registered before", () => {
  const command = fc.nat({ max: 5 }).map((index) => {
    const name = `shop_${index}`;
    return { settings: { ...settings, name, iosStoreId: name }, salt: String(index), tokenIds };
  });
  assertDecidesOnce(appRegistry, command);
});

registry.run();
