import { suite } from "uvu";
import * as assert from "uvu/assert";
import { matchTypeOf } from "../../../domain/attribution/match-type.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";

const nothing = {
  deviceKey: null,
  gaidKey: null,
  idfaKey: null,
  idfvKey: null,
  ipKey: null,
  os: null,
  osVersion: null,
};
const click = { ...nothing, touchpointId: exampleUuid("click", 1), kind: "click" } as const;
const target = { ...nothing, clickId: null };
const address = { ipKey: 7n, os: "Android" };

const match = suite("a touchpoint matches a target event");

for (const [how, touchpoint, ofTarget, expected] of [
  ["by the click id", {}, { clickId: click.touchpointId }, "click_id"],
  ["not by the click id if it is an impression", { kind: "impression" }, { clickId: click.touchpointId }, null],
  ["by the device id", { deviceKey: "phone" }, { deviceKey: "phone" }, "device_id"],
  ["by the gaid", { gaidKey: 1n }, { gaidKey: 1n }, "device_id"],
  ["by the idfa", { idfaKey: 1n }, { idfaKey: 1n }, "device_id"],
  ["by the idfv", { idfvKey: 1n }, { idfvKey: 1n }, "device_id"],
  ["not by ids of different kinds", { gaidKey: 1n }, { idfvKey: 1n }, null],
  ["by the address and the system", address, address, "probabilistic"],
  ["not by the address alone", { ipKey: 7n }, { ipKey: 7n }, null],
  ["not by the address of another system", address, { ...address, os: "iOS" }, null],
  ["by a system whose version one side lacks", { ...address, osVersion: "15" }, address, "probabilistic"],
  ["not by different versions", { ...address, osVersion: "15" }, { ...address, osVersion: "14" }, null],
] as const) {
  match(how, () => assert.is(matchTypeOf({ ...click, ...touchpoint }, { ...target, ...ofTarget }), expected));
}

match("by the strongest of several ways", () => {
  const ids = { ...address, gaidKey: 1n };
  assert.equal(
    [
      matchTypeOf({ ...click, ...ids }, { ...target, ...ids, clickId: click.touchpointId }),
      matchTypeOf({ ...click, ...ids }, { ...target, ...ids }),
    ],
    ["click_id", "device_id"],
  );
});

match.run();
