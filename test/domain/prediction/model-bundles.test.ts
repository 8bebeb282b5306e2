import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ModelBundleEvent } from "../../../domain/prediction/events.ts";
import {
  activationsOf,
  activeBundles,
  type ModelBundleCommand,
  modelBundles,
} from "../../../domain/prediction/model-bundles.ts";
import { springBundle, springRegistered } from "../../examples/model-bundles.ts";
import { addRules, assertDecidesOnce, fold, historyOf } from "../../support/decider-specification.ts";

const dataOf = (bundleId: string, contentHash = "5".repeat(64)) => ({ ...springBundle, bundleId, contentHash });
const registered = (bundleId: string): ModelBundleEvent => ({ type: "BundleRegistered", data: dataOf(bundleId) });
const activated = (bundleId: string, appId: number | null): ModelBundleEvent => ({
  type: "BundleActivated",
  data: { bundleId, appId },
});
const retired = (bundleId: string): ModelBundleEvent => ({ type: "BundleRetired", data: { bundleId } });

const register = (bundleId: string, contentHash?: string): ModelBundleCommand => ({
  type: "RegisterBundle",
  data: dataOf(bundleId, contentHash),
});
const activate = (bundleId: string, appId: number | null): ModelBundleCommand => ({
  type: "ActivateBundle",
  bundleId,
  appId,
});
const retire = (bundleId: string): ModelBundleCommand => ({ type: "RetireBundle", bundleId });

const spring = springRegistered;
const both = [spring, registered("summer-1")];
const [forApp1, byDefault] = [activated("spring-1", 1), activated("spring-1", null)];
const replacedEverywhere = [byDefault, forApp1, activated("summer-1", null), activated("summer-1", 1)];
const notFound = { rejected: "BUNDLE_NOT_FOUND" } as const;
const active = { rejected: "BUNDLE_ACTIVE" } as const;
const retiredSpring = [spring, retired("spring-1")];

const deciding = suite("the registry of model bundles");

addRules(deciding, modelBundles, [
  ["registers a bundle", [], register("spring-1"), [spring]],
  ["registers the same bundle once", [spring], register("spring-1"), []],
  ["registers a retired bundle once", retiredSpring, register("spring-1"), []],
  ["assigns an id once", [spring], register("spring-1", "6".repeat(64)), { rejected: "BUNDLE_ID_TAKEN" }],
  ["activates for an app", [spring], activate("spring-1", 1), [forApp1]],
  ["activates by default", [spring], activate("spring-1", null), [byDefault]],
  ["activates once", [spring, forApp1], activate("spring-1", 1), []],
  ["activates once by default", [spring, byDefault], activate("spring-1", null), []],
  ["activates for each app", [spring, forApp1], activate("spring-1", 2), [activated("spring-1", 2)]],
  ["activates the default bundle for an app", [spring, byDefault], activate("spring-1", 1), [forApp1]],
  ["activates again", [...both, forApp1, activated("summer-1", 1)], activate("spring-1", 1), [forApp1]],
  ["does not activate an unknown bundle", [spring], activate("summer-1", 1), notFound],
  ["does not activate a retired bundle", retiredSpring, activate("spring-1", null), { rejected: "BUNDLE_RETIRED" }],
  ["retires", [spring], retire("spring-1"), [retired("spring-1")]],
  ["retires once", retiredSpring, retire("spring-1"), []],
  ["does not retire an unknown bundle", [spring], retire("summer-1"), notFound],
  ["does not retire the bundle of an app", [spring, activated("spring-1", 7)], retire("spring-1"), active],
  ["does not retire the default bundle", [...both, byDefault, activated("summer-1", 1)], retire("spring-1"), active],
  ["retires a replaced bundle", [...both, ...replacedEverywhere], retire("spring-1"), [retired("spring-1")]],
]);

deciding("prefers the bundle of an app to the default, and knows where each is active", () => {
  const state = fold(modelBundles, [
    ...both,
    activated("summer-1", 12),
    activated("summer-1", 3),
    activated("spring-1", null),
    activated("spring-1", 12),
  ]);
  assert.equal(
    [...activeBundles(state)].map(([target, bundle]) => [target, bundle.bundleId]),
    [
      [null, "spring-1"],
      [12, "spring-1"],
      [3, "summer-1"],
    ],
  );
  assert.is(activeBundles(fold(modelBundles, both)).size, 0);
  assert.equal(activationsOf(state, "spring-1"), { isDefault: true, appIds: [12] });
  assert.equal(activationsOf(state, "summer-1"), { isDefault: false, appIds: [3] });
});

const bundleId = fc.constantFrom("spring-1", "summer-1", "autumn-1");
const command: fc.Arbitrary<ModelBundleCommand> = fc.oneof(
  fc.tuple(bundleId, fc.constantFrom("5".repeat(64), "6".repeat(64))).map((of) => register(...of)),
  fc.tuple(bundleId, fc.constantFrom(null, 1, 2)).map((of) => activate(...of)),
  bundleId.map(retire),
);

deciding("decides twice as once, whatever was decided before", () => {
  assertDecidesOnce(modelBundles, command);
});

deciding("never has a retired bundle active", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      const state = fold(modelBundles, historyOf(modelBundles, commands));
      for (const [id, { stage }] of state.bundles) {
        if (stage === "retired") assert.equal(activationsOf(state, id), { isDefault: false, appIds: [] });
      }
    }),
  );
});

deciding.run();
