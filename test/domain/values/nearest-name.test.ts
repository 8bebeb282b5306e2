import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nearestName } from "../../../domain/values/nearest-name.ts";

const nearest = suite("the nearest known name");
const known = [
  "groupBys",
  "metrics",
  "deeplinkUrl",
  "fallbackPaths",
  "from",
  "to",
  "sub_id_1",
  "sub_id_2",
  "cost_channel",
];
const metrics = [
  "app_first_installs",
  "app_installs",
  "app_order_complete",
  "app_revenue",
  "app_sign_in",
  "app_sign_up",
];
const zones = ["America/New_York", "Asia/Seoul", "Europe/London", "Mexico/BajaSur", "Mexico/General"];

for (const [name, expected] of [
  ["group_bys", "groupBys"],
  ["GROUPBYS", "groupBys"],
  ["groupBy", "groupBys"],
  ["metircs", "metrics"],
  ["metricss", "metrics"],
  ["deepLinkURL", "deeplinkUrl"],
  ["fallbackPath", "fallbackPaths"],
  ["form", "from"],
  ["sub_id_3", "sub_id_1"],
  ["cost", "cost_channel"],
  ["colour", null],
  ["x", null],
  ["", null],
  [`metrics${"x".repeat(40)}`, null],
  ["metrics".repeat(100_000), null],
] as const) {
  nearest(`${name.slice(0, 30)} means ${expected ?? "nothing known"}`, () => {
    assert.is(nearestName(name, known), expected);
  });
}

for (const [name, expected] of [
  ["installs", "app_installs"],
  ["Install", "app_installs"],
  ["orders", "app_order_complete"],
  ["sign", null],
  ["Mexico", null],
  ["revenue", "app_revenue"],
  ["Seoul", "Asia/Seoul"],
  ["asia/seoul", "Asia/Seoul"],
  ["order installs", null],
  ["no", null],
  ["ork", null],
] as const) {
  nearest(`that has the word ${name} is ${expected ?? "none"}`, () => {
    assert.is(nearestName(name, [...metrics, ...zones]), expected);
  });
}

nearest.run();
