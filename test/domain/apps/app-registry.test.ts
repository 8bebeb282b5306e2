import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistry, type ChangeAppSettings, type RegisterApp } from "../../../domain/apps/app-registry.ts";
import type { AppRegistryEvent } from "../../../domain/apps/events.ts";
import { rejectField } from "../../../domain/decider.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { addRules, assertDecidesOnce, fold } from "../../support/decider-specification.ts";

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

const { iosStoreId } = shop;
const nameTaken = rejectField("APP_NAME_TAKEN", ["body", "name"], { name: "shop" });
const storeIdTaken = rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]);
const registerCafeWith = (id: string | null): RegisterApp => {
  return { ...registerCafe, settings: { ...registerCafe.settings, iosStoreId: id } };
};
const cafeRegisteredWith = (id: string | null): AppRegistryEvent => {
  return { type: "AppRegistered", data: { ...cafeRegistered.data, iosStoreId: id } };
};
const both = [shopRegistered, cafeRegistered];
const registerAgain = { ...registerShop, salt: "22".repeat(32) };
const changes = { ownerEmail: "boss@shop.example", androidPackage: null, redirectHosts: ["news.example"] };
const twoHosts = { redirectHosts: ["a.example", "b.example"] };
const onPhones = { iosAppIds: ["ABCDE12345.example.shop"], androidCertificates: ["0F"] };
const onWebPages = { allowedOrigins: ["https://shop.example"] };
const otherStoreId = shopChanged({ iosStoreId: "1" });

const registry = suite("the registry of apps");

addRules(registry, appRegistry, [
  ["numbers apps from 1", [], registerShop, [shopRegistered]],
  ["numbers apps in the order of registration", [shopRegistered], registerCafe, [cafeRegistered]],
  ["assigns a name once", both, registerAgain, nameTaken],
  ["reports a taken name before a taken store id", [shopRegistered], registerAgain, nameTaken],
  ["assigns a store id on iOS once", [shopRegistered], registerCafeWith(iosStoreId), storeIdTaken],
  ...[`${iosStoreId}0`, null].map((free) => {
    return [
      `accepts the store id ${free}`,
      [shopRegistered],
      registerCafeWith(free),
      [cafeRegisteredWith(free)],
    ] as const;
  }),
  ["changes the sent settings", [shopRegistered], changeShop(changes), [shopChanged(changes)]],
  [
    "keeps earlier changes",
    [shopRegistered, shopChanged(changes)],
    changeShop({ companyName: "Shop" }),
    [shopChanged({ ...changes, companyName: "Shop" })],
  ],
  ["decides nothing for no change", [shopRegistered], changeShop({}), []],
  ["decides nothing for the same settings", [shopRegistered], changeShop(changeable), []],
  [
    "decides nothing for the same apps on phones, nor for an empty list that was never set",
    [shopRegistered, shopChanged(onPhones)],
    changeShop({ ...onPhones, allowedOrigins: [] }),
    [],
  ],
  [
    "changes the apps on phones",
    [shopRegistered, shopChanged(onPhones)],
    changeShop({ iosAppIds: [] }),
    [shopChanged({ ...onPhones, iosAppIds: [] })],
  ],
  [
    "keeps the apps on phones and the origins of web pages",
    [shopRegistered, shopChanged({ ...onPhones, ...onWebPages })],
    changeShop({ companyName: "Shop" }),
    [shopChanged({ ...onPhones, ...onWebPages, companyName: "Shop" })],
  ],
  ["changes the origins of web pages", [shopRegistered], changeShop(onWebPages), [shopChanged(onWebPages)]],
  ["decides nothing for the same hosts", [shopRegistered, shopChanged(twoHosts)], changeShop(twoHosts), []],
  ["rejects a change to another app's store id", both, changeShop({ iosStoreId }, 2), storeIdTaken],
  [
    "accepts a change to a former store id",
    [...both, otherStoreId],
    changeShop({ iosStoreId }, 2),
    [shopChanged({ iosStoreId }, 2)],
  ],
  ["assigns a changed store id once", [shopRegistered, otherStoreId], registerCafeWith("1"), storeIdTaken],
  ["rejects a change of an unregistered app", [shopRegistered], changeShop({}, 2), { rejected: "APP_NOT_FOUND" }],
]);

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

registry("of 10,000 apps is folded and decided on", () => {
  const history = Array.from({ length: 10_000 }, (_, index): AppRegistryEvent => {
    return { type: "AppRegistered", data: { ...shop, name: `shop_${index}`, iosStoreId: null, appId: index + 1 } };
  });
  const decision = appRegistry.decide(registerShop, fold(appRegistry, history));
  assert.equal(decision, [{ type: "AppRegistered", data: { ...shop, appId: 10_001 } }]);
});

registry.run();
