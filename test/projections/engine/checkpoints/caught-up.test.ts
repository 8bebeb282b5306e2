import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireCaughtUp } from "../../../../projections/engine/checkpoints/caught-up.ts";
import { comparePositions, type PositionOrStart } from "../../../../projections/engine/checkpoints/positions.ts";
import { ReadModelNotReady } from "../../../../projections/read-models.ts";

const test = suite("reads that need what was in the log");

const at = (commit: bigint) => ({ commit, prepare: commit });

test("are refused until the group has once passed the head at the start, and never again", async () => {
  let head = at(100n);
  let passed: PositionOrStart = null;
  const required = requireCaughtUp(
    { headPosition: async () => head },
    async (group, position) => group === "facts" && comparePositions(passed, position) >= 0,
  );
  const isRefused = (): Promise<boolean> =>
    required().then(
      () => false,
      (failure) => failure instanceof ReadModelNotReady,
    );

  head = at(200n);
  assert.is(await isRefused(), true);
  passed = at(99n);
  assert.is(await isRefused(), true);
  passed = at(100n);
  assert.is(await isRefused(), false);
  passed = null;
  assert.is(await isRefused(), false);
});

test("are refused as the log refuses its head, which is read again", async () => {
  let isAway = true;
  const required = requireCaughtUp(
    {
      headPosition: async () => {
        if (isAway) throw new Error("away");
        return at(1n);
      },
    },
    async () => true,
  );
  const failure = await required().catch(({ message }: Error) => message);
  assert.is(failure, "away");
  isAway = false;
  await required();
});

test.run();
