import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistry, type RegisterApp } from "../../../domain/apps/app-registry.ts";
import type { AppRegistryEvent } from "../../../domain/apps/events.ts";
import { fold, isRejection, rejectField } from "../../../domain/decider.ts";
import { shop, shopRegistered } from "../../examples/app.ts";

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

const decide = (given: readonly AppRegistryEvent[], when: RegisterApp) =>
  appRegistry.decide(when, fold(appRegistry, given));

const registry = suite("the registry of apps");

registry("numbers apps from 1 in the order of registration", () => {
  assert.equal(decide([], registerShop), [shopRegistered]);
  assert.equal(decide([shopRegistered], registerCafe), [cafeRegistered]);
});

registry("gives a name away once and for ever", () => {
  assert.equal(
    decide([shopRegistered, cafeRegistered], { ...registerShop, salt: "22".repeat(32) }),
    rejectField("APP_NAME_TAKEN", ["body", "name"], { name: "shop" }),
  );
});

registry("gives a store id on iOS to one app, for ever", () => {
  const given = [shopRegistered];
  const cafe = (iosStoreId: string | null): RegisterApp => ({
    ...registerCafe,
    settings: { ...registerCafe.settings, iosStoreId },
  });
  assert.equal(decide(given, cafe(shop.iosStoreId)), rejectField("IOS_STORE_ID_TAKEN", ["body", "iosStoreId"]));
  for (const free of [`${shop.iosStoreId}0`, null]) {
    assert.equal(decide(given, cafe(free)), [
      { type: "AppRegistered", data: { ...cafeRegistered.data, iosStoreId: free } },
    ]);
  }
  assert.equal(
    decide(given, { ...registerShop, salt: "22".repeat(32) }),
    rejectField("APP_NAME_TAKEN", ["body", "name"], { name: "shop" }),
  );
});

registry("decides twice as once, whatever was registered before", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_]{2,10}$/), { maxLength: 8 });
  fc.assert(
    fc.property(names, fc.nat(), (before, pick) => {
      let given: readonly AppRegistryEvent[] = [];
      for (const [index, name] of before.entries()) {
        const command = { settings: { ...settings, name, iosStoreId: name }, salt: String(index), tokenIds };
        const decided = decide(given, command);
        if (isRejection(decided)) throw new Error("a fresh name was refused");
        given = [...given, ...decided];
      }
      const again = before[pick % Math.max(1, before.length)];
      if (again === undefined) return;
      const repeated = { settings: { ...settings, name: again }, salt: String(before.indexOf(again)), tokenIds };
      assert.equal(decide(given, repeated), []);
    }),
  );
});

registry.run();
