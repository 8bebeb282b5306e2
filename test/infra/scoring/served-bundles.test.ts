import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ModelBundle } from "../../../domain/prediction/events.ts";
import { type ActiveBundles, createServedBundles } from "../../../infra/scoring/served-bundles.ts";
import { everyFeatureBundle } from "../../examples/context.ts";

const bundle = (bundleId: string): ModelBundle => ({ ...everyFeatureBundle, bundleId });
const [one, two, broken] = [bundle("one"), bundle("two"), bundle("broken")];

/** Served bundles over fakes: `active` are those of the log, `hold` delays the loading of models. */
function startServing(first: ActiveBundles) {
  const state = { active: first, failures: [] as string[], hold: null as Promise<void> | null };
  const bundles = createServedBundles({
    active: () => state.active,
    load: async ({ bundleId }) => {
      await state.hold;
      if (bundleId === "broken") throw new Error("does not load");
    },
    failed: (_failure, bundleId) => state.failures.push(bundleId),
  });
  return { state, bundles };
}

const serving = suite("the bundles that serve calls");

serving("are none until they are loaded", async () => {
  const { bundles } = startServing(new Map([[null, one]]));
  assert.is(bundles.servedBundle(1), null);
  await bundles.follow();
  assert.is(bundles.servedBundle(1), one);
  bundles.close();
});

serving("are followed again by a call in the turn of another one that had nothing to load", async () => {
  const { state, bundles } = startServing(new Map());
  const first = bundles.follow();
  state.active = new Map([[null, one]]);
  await Promise.all([first, bundles.follow()]);
  assert.is(bundles.servedBundle(1), one);
  bundles.close();
});

serving("are an app's own before the default", async () => {
  const { bundles } = startServing(
    new Map([
      [null, one],
      [2, two],
    ]),
  );
  await bundles.follow();
  assert.equal([bundles.servedBundle(1), bundles.servedBundle(2)], [one, two]);
  bundles.close();
});

for (const [title, own] of [
  ["while their own bundle is being loaded", two],
  ["whose own bundle cannot be loaded", broken],
] as const) {
  serving(`are never the default of apps ${title} at the start`, async () => {
    const { state, bundles } = startServing(
      new Map([
        [null, one],
        [2, own],
      ]),
    );
    let release = (): void => {};
    const following = bundles.follow();
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    while (bundles.servedBundle(1) === null) await Promise.resolve();
    const meanwhile = bundles.servedBundle(2);
    release();
    await following;
    assert.equal([meanwhile, bundles.servedBundle(2)], [null, own === broken ? null : own]);
    bundles.close();
  });
}

serving("are still the default of an app whose own bundle was activated since, until that is loaded", async () => {
  const { state, bundles } = startServing(new Map([[null, one]]));
  await bundles.follow();
  state.active = new Map([
    [null, one],
    [2, broken],
  ]);
  await bundles.follow();
  assert.is(bundles.servedBundle(2), one);
  bundles.close();
});

serving("stay the former until the next is loaded, and change at once then", async () => {
  const { state, bundles } = startServing(new Map([[null, one]]));
  await bundles.follow();
  let release = (): void => {};
  state.hold = new Promise((resolve) => {
    release = resolve;
  });
  state.active = new Map([[null, two]]);
  const following = bundles.follow();
  assert.is(bundles.servedBundle(1), one);
  release();
  await following;
  assert.is(bundles.servedBundle(1), two);
  bundles.close();
});

serving("stay in place, with an error, while the next ones cannot be loaded", async () => {
  const { state, bundles } = startServing(new Map([[null, one]]));
  await bundles.follow();
  state.active = new Map([[null, broken]]);
  await bundles.follow();
  assert.equal([bundles.servedBundle(1), state.failures], [one, ["broken"]]);
  bundles.close();
});

serving("follow an activation while another bundle is being loaded", async () => {
  const { state, bundles } = startServing(new Map([[null, one]]));
  const following = bundles.follow();
  state.active = new Map([
    [null, one],
    [3, two],
  ]);
  await Promise.all([following, bundles.follow()]);
  assert.is(bundles.servedBundle(3), two);
  bundles.close();
});

serving.run();
