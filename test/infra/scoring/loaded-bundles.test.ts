import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLoadedBundles } from "../../../infra/scoring/loaded-bundles.ts";
import type { SupervisedProcess } from "../../../infra/scoring/supervised-process.ts";
import { springBundle } from "../../examples/model-bundles.ts";

const megabyte = 1024 * 1024;

/** A process of models that only notes what it is asked for. */
function notingProcess() {
  const requests: string[] = [];
  const process = {
    request: async (kind: string, { bundleId }: { readonly bundleId: string }) =>
      void requests.push(`${kind} ${bundleId}`),
    kill: () => undefined,
  };
  return {
    requests,
    supervised: { current: () => process, running: async () => process } as unknown as SupervisedProcess,
  };
}

const test = suite("loaded bundles");

test("are dropped from the process when others take their place, those used last being kept", async () => {
  const { requests, supervised } = notingProcess();
  const bundles = createLoadedBundles(supervised, 2 * megabyte);
  const loaded = (bundleId: string) => bundles.add({ ...springBundle, bundleId }, async () => new Uint8Array(1));
  await bundles.load(loaded("one"));
  await bundles.load(loaded("two"));
  bundles.find("one");
  await bundles.load(loaded("three"));
  assert.equal(requests, ["load one", "load two", "drop two", "load three"]);
});

test("are dropped after their last pending call", async () => {
  const { requests, supervised } = notingProcess();
  const bundles = createLoadedBundles(supervised, megabyte);
  const loaded = (bundleId: string) => bundles.add({ ...springBundle, bundleId }, async () => new Uint8Array(1));
  const one = loaded("one");
  await bundles.load(one);
  one.openJobs = 1;
  await bundles.load(loaded("two"));
  assert.equal(requests, ["load one", "load two"]);
  one.openJobs = 0;
  bundles.dropUnused(one);
  assert.equal(requests, ["load one", "load two", "drop one"]);
});

test.run();
