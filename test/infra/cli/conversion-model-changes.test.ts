import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { shownModel } from "../../../domain/conversion-values/meanings.ts";
import { modelChanges, modelLines } from "../../../infra/cli/conversion-model-changes.ts";
import { anyModel, type ModelBody, skan3, skan4 } from "../../examples/conversion-values.ts";

const changes = suite("what changed between two models");
const shown = (body: ModelBody, partners: Parameters<typeof modelLines>[0]["partners"] = []) => ({
  ...shownModel(modelOf(body as Parameters<typeof modelOf>[0])),
  partners,
});

changes("are listed by place, with the meaning before and after", () => {
  const before = shown(skan4, [{ channel: "tiktok", events: { app_open: "Open" } }]);
  assert.equal(modelChanges(before, before), []);
  assert.equal(modelLines(before), [
    { place: "framework", meaning: "SKAN_4" },
    { place: "postback 0, fine 0", meaning: "no event" },
    { place: "postback 0, fine 5", meaning: "app_sign_up, engagement" },
    { place: "postback 0, fine 37", meaning: "app_order_complete, revenue from 0 to under 10.5 (overlapped)" },
    {
      place: "postback 0, fine 38",
      meaning: "app_order_complete, revenue from 10 to under 20; app_sign_up, engagement (overlapped)",
    },
    { place: "postback 0, fine 63", meaning: "app_order_complete, revenue from 20 to under 1000" },
    { place: "postback 0, lock window", meaning: "event app_sign_up" },
    { place: "postback 0, coarse low", meaning: "app_sign_up, engagement" },
    { place: "postback 1, coarse low", meaning: "app_open, retention" },
    { place: "postback 1, coarse high", meaning: "app_order_complete, revenue from 0.01 to under 0.02" },
    { place: "channel tiktok", meaning: "reads them" },
    { place: "channel tiktok, app_open", meaning: "Open" },
  ]);
  const after = shown(skan3(), [
    { channel: "kakao", events: {} },
    { channel: "tiktok", events: { app_open: "Opened" } },
  ]);
  const changed = modelChanges(before, after);
  assert.equal(changed.slice(0, 4), [
    { place: "framework", before: "SKAN_4", after: "SKAN_3" },
    { place: "postback 0, fine 1", before: null, after: "app_sign_up, engagement" },
    { place: "channel kakao", before: null, after: "reads them" },
    { place: "channel tiktok, app_open", before: "Open", after: "Opened" },
  ]);
  assert.is(changed.slice(4).filter((change) => change.after !== null).length, 0);
});

changes("are none of a model and itself, and the same backwards", () => {
  fc.assert(
    fc.property(anyModel, anyModel, (one, other) => {
      assert.equal(modelChanges(shown(one), shown(one)), []);
      const forth = modelChanges(shown(one), shown(other));
      const back = modelChanges(shown(other), shown(one)).map(({ place, before, after }) => ({
        place,
        before: after,
        after: before,
      }));
      assert.equal(new Set(forth.map((it) => JSON.stringify(it))), new Set(back.map((it) => JSON.stringify(it))));
    }),
  );
});

changes.run();
