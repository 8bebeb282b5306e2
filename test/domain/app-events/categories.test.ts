import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  appEventCategories,
  categoryOfMetric,
  customEventName,
  isEventCategory,
} from "../../../domain/app-events/categories.ts";

const table = suite("the categories of app events");

table("are nineteen", () => {
  assert.equal(
    Object.keys(appEventCategories).join(" "),
    "app_install app_open app_foreground app_deeplink_open app_deeplink_pageview app_uninstall app_sign_up app_sign_in " +
      "app_sign_out app_home_screen app_product_catalog app_search_results app_product_view app_add_to_cart " +
      "app_order_complete app_order_cancel app_subscribe app_ad_impression app_ad_click",
  );
  assert.ok(Object.keys(appEventCategories).every(isEventCategory));
});

table("are counted by metrics, in the plural where reports use it", () => {
  assert.equal(["app_installs", "app_opens", "app_order_complete", "app_install", "clicks"].map(categoryOfMetric), [
    "app_install",
    "app_open",
    "app_order_complete",
    null,
    null,
  ]);
});

table("may be custom, with a name of 1-128 characters", () => {
  const accepted = ["custom:a", "custom:결제 완료", `custom:${"é".repeat(127)}`, `custom:${"😀".repeat(128)}`];
  const refused = [
    "custom:",
    `custom:${"a".repeat(129)}`,
    "custom: a",
    "custom:a\n",
    "Custom:a",
    "app_installs",
    "toString",
  ];
  assert.equal(accepted.filter(isEventCategory), accepted);
  assert.equal(refused.filter(isEventCategory), []);
  assert.is(customEventName("custom:a:b"), "a:b");
  assert.is(customEventName("app_open"), null);
});

table.run();
