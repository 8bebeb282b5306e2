import fc from "fast-check";
import { suite } from "uvu";
import { appRegistry, type ChangeAppSettings, type RegisterApp } from "../../../domain/apps/app-registry.ts";
import type { AppRegistryEvent } from "../../../domain/apps/events.ts";
import { rejectField } from "../../../domain/decider.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

const { appId: _appId, salt, tokenIds, ...settings } = shop;
const registerShop: RegisterApp = { type: "RegisterApp", settings, salt, tokenIds };
const registerCafe: RegisterApp = {
  type: "RegisterApp",
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

registry("assigns a name once", () => {
  given(shopRegistered, cafeRegistered)
    .when({ ...registerShop, salt: "22".repeat(32) })
    .then(rejectField("APP_NAME_TAKEN", ["body", "name"], { name: "shop" }));
});

registry("gives a store id on iOS to one app", () => {
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

const changeable = {
  companyName: settings.companyName,
  ownerEmail: settings.ownerEmail,
  iosStoreId: settings.iosStoreId,
  androidPackage: settings.androidPackage,
  iosStoreUrl: settings.iosStoreUrl,
  androidStoreUrl: settings.androidStoreUrl,
  desktopUrl: settings.desktopUrl,
  redirectHosts: settings.redirectHosts,
};
const changeShop = (changes: ChangeAppSettings["changes"], appId = 1): ChangeAppSettings => ({
  type: "ChangeAppSettings",
  appId,
  changes,
});
const shopChanged = (changes: ChangeAppSettings["changes"], appId = 1): AppRegistryEvent => ({
  type: "AppSettingsChanged",
  data: { appId, ...changeable, ...changes },
});

registry("changes what is sent of an app's settings, and only that", () => {
  const changes = { ownerEmail: "boss@shop.example", androidPackage: null, redirectHosts: ["news.example"] };
  given(shopRegistered)
    .when(changeShop(changes))
    .then([shopChanged(changes)]);
  given(shopRegistered, shopChanged(changes))
    .when(changeShop({ companyName: "Shop" }))
    .then([shopChanged({ ...changes, companyName: "Shop" })]);
});

registry("changes nothing where an app has the settings already", () => {
  given(shopRegistered).when(changeShop({})).then([]);
  given(shopRegistered).when(changeShop(changeable)).then([]);
  given(shopRegistered, shopChanged({ redirectHosts: ["a.example", "b.example"] }))
    .when(changeShop({ redirectHosts: ["a.example", "b.example"] }))
    .then([]);
});

registry("refuses a change to another app's store id, and frees one that was given up", () => {
  const { iosStoreId } = shop;
  const taken = rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
  given(shopRegistered, cafeRegistered).when(changeShop({ iosStoreId }, 2)).then(taken);
  given(shopRegistered, cafeRegistered, shopChanged({ iosStoreId: "1" }))
    .when(changeShop({ iosStoreId }, 2))
    .then([shopChanged({ iosStoreId }, 2)]);
  given(shopRegistered, shopChanged({ iosStoreId: "1" }))
    .when({ ...registerCafe, settings: { ...registerCafe.settings, iosStoreId: "1" } })
    .then(taken);
});

registry("rejects a change of an unregistered app", () => {
  given(shopRegistered).when(changeShop({}, 2)).then({ rejected: "APP_NOT_FOUND" });
});

registry("decides twice as once, whatever was registered before", () => {
  const registration = fc.nat({ max: 5 }).map((index): RegisterApp => {
    const name = `shop_${index}`;
    return { type: "RegisterApp", settings: { ...settings, name, iosStoreId: name }, salt: String(index), tokenIds };
  });
  const change = fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom("a", "b", null))
    .map(([appId, iosStoreId]) => changeShop({ iosStoreId }, appId));
  assertDecidesOnce(appRegistry, fc.oneof(registration, change));
});

registry.run();
