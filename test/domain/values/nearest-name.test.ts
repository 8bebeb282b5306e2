import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nearestName } from "../../../domain/values/nearest-name.ts";

const nearest = suite("the nearest known name");
const known = ["groupBys", "metrics", "deeplinkUrl", "fallbackPaths", "from", "to", "sub_id_1", "sub_id_2"];

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

nearest.run();
