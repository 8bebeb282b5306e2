import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { conversionModel } from "../../../domain/conversion-values/conversion-model.ts";
import type { ConversionModelEvent } from "../../../domain/conversion-values/events.ts";
import { conversionValuesProjection } from "../../../projections/conversion-values/projection.ts";
import { conversionModelAt, partnerEventsAt } from "../../../projections/conversion-values/queries.ts";
import { anyModel, type ModelBody, skan3, skan4 } from "../../examples/conversion-values.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { fold } from "../../support/decider-specification.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const published = (appId: number, version: number, body: ModelBody): ConversionModelEvent => ({
  type: "ConversionModelPublished",
  data: { appId, version, model: modelOf(body as Parameters<typeof modelOf>[0]) },
});
const mapped = (appId: number, channel: string, events: Readonly<Record<string, string>>): ConversionModelEvent => ({
  type: "PartnerEventsMapped",
  data: { appId, channel, events },
});
const history = [
  published(1, 1, skan4),
  mapped(1, "tiktok", { app_open: "Open" }),
  published(2, 1, skan3()),
  mapped(1, "kakao", {}),
  published(1, 2, skan3()),
  mapped(1, "tiktok", { app_open: "Opened", "it's": 'a "name"' }),
  mapped(2, "tiktok", {}),
  published(1, 3, skan4),
];
const log = recordedLog(history);

const live = await openProjection(conversionValuesProjection);
const values = suite("what conversion values meant");
values.after(() => live.close());

values("is the same rows for any split into batches", async () => {
  await assertSameRowsForAnySplit(live.db, conversionValuesProjection, log, 10);
});

values("has the model at any position, with its publisher and start", async () => {
  await live.rebuild(log);
  assert.is(await conversionModelAt(live, 1, 99n), null);
  const published = {
    at: new Date("2026-03-31T00:00:00.000Z"),
    actor: { kind: "operator" },
    requestId: "example-request",
  };
  const first = history[0]?.data as { model: unknown };
  for (const position of [100n, 499n]) {
    const expected = { version: 1, model: first.model, fromPosition: 100n, ...published };
    assert.equal(await conversionModelAt(live, 1, position), expected);
  }
  assert.is((await conversionModelAt(live, 1, 500n))?.version, 2);
  assert.is((await conversionModelAt(live, 1, 10n ** 18n))?.version, 3);
  assert.is((await conversionModelAt(live, 2, 800n))?.version, 1);
  assert.is(await conversionModelAt(live, 3, 800n), null);
  assert.equal(await partnerEventsAt(live, 1, 599n), [
    { channel: "kakao", events: {}, fromPosition: 400n, ...published },
    { channel: "tiktok", events: { app_open: "Open" }, fromPosition: 200n, ...published },
  ]);
  assert.equal(
    (await partnerEventsAt(live, 1, 600n)).map(({ events }) => events),
    [{}, { app_open: "Opened", "it's": 'a "name"' }],
  );
});

values("is at each position the model of the commands until then, for any sequence of models", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyModel, { minLength: 3, maxLength: 3 }), async (bodies) => {
      let decided: readonly ConversionModelEvent[] = [];
      const expected: (readonly [number, unknown])[] = [];
      for (const body of bodies) {
        const model = modelOf(body as Parameters<typeof modelOf>[0]);
        const events = conversionModel.decide(
          { type: "PublishConversionModel", appId: 1, model },
          fold(conversionModel, decided),
        );
        decided = [...decided, ...(events as readonly ConversionModelEvent[])];
        expected.push([decided.length, fold(conversionModel, decided).published?.model]);
      }
      await live.rebuild(recordedLog(decided));
      for (const [length, model] of expected) {
        const found = await conversionModelAt(live, 1, BigInt(length) * 100n + 50n);
        assert.equal(found?.model, model);
      }
    }),
    { numRuns: 20 },
  );
});

values.run();
