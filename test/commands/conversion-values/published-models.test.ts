import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { createPublishedModels } from "../../../commands/conversion-values/published-models.ts";
import type { ConversionModelEvent, PartnerEventsMapped } from "../../../domain/conversion-values/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { shopRegistered } from "../../examples/app.ts";
import { type ModelBody, skan3, skan4 } from "../../examples/conversion-values.ts";
import { recordedAt } from "../../examples/recorded-log.ts";

const model = (body: ModelBody) => modelOf(body as Parameters<typeof modelOf>[0]);
const at = (revision: bigint, event: ConversionModelEvent): RecordedEvent => ({
  ...recordedAt(1_000n + revision, event),
  stream: "conversionModel-1",
  revision,
  recordedAt: new Date(Number(revision) * 1_000),
});
const published = (revision: bigint, version: number, body: ModelBody): RecordedEvent =>
  at(revision, { type: "ConversionModelPublished", data: { appId: 1, version, model: model(body) } });
const mapped = (revision: bigint, events: PartnerEventsMapped["data"]["events"]): RecordedEvent =>
  at(revision, { type: "PartnerEventsMapped", data: { appId: 1, channel: "tiktok", events } });

let stored: RecordedEvent[];
let reads: number;
let whileReading: () => void;
const log = {
  read: async function* () {
    reads += 1;
    const begun = [...stored];
    whileReading();
    yield* begun;
  },
} as unknown as Pick<EventLog, "read">;

const memory = suite("the conversion values of apps, in memory");
memory.before.each(() => {
  stored = [published(0n, 1, skan4)];
  reads = 0;
  whileReading = () => undefined;
});

memory("are read once, then kept current by the tail", async () => {
  const models = createPublishedModels(log);
  const first = await models.of(1);
  assert.equal(first, { model: { value: model(skan4), recordedAt: new Date(0) }, partners: new Map(), revision: 0n });
  assert.is(await models.of(1), first);
  models.apply([stored[0] as RecordedEvent, mapped(1n, { a: "b" })]);
  const second = await models.of(1);
  assert.equal(second.partners, new Map([["tiktok", { value: { a: "b" }, recordedAt: new Date(1_000) }]]));
  models.apply([published(2n, 2, skan3())]);
  assert.equal((await models.of(1)).model, { value: model(skan3()), recordedAt: new Date(2_000) });
  assert.is(reads, 1);
});

memory("are read again after a gap, and when this process has written", async () => {
  const models = createPublishedModels(log);
  await models.of(1);
  stored.push(mapped(1n, { a: "b" }), mapped(2n, { a: "c" }));
  models.apply([mapped(2n, { a: "c" })]);
  assert.equal((await models.of(1)).partners.get("tiktok")?.value, { a: "c" });
  stored.push(mapped(3n, {}));
  models.forget(1);
  assert.equal((await models.of(1)).partners.get("tiktok")?.value, {});
  assert.is(reads, 3);
});

memory("are never those of a reading that began before the tail brought more", async () => {
  const models = createPublishedModels(log);
  whileReading = () => {
    if (reads > 1) return;
    stored.push(published(1n, 2, skan3()));
    models.apply([published(1n, 2, skan3())]);
  };
  assert.equal((await models.of(1)).model?.value, model(skan3()));
  assert.is(reads, 2);
});

memory("are none of an app without any, and no matter of other events", async () => {
  stored = [];
  const models = createPublishedModels(log);
  models.apply([recordedAt(1n, shopRegistered)]);
  assert.equal(await models.of(7), { model: null, partners: new Map(), revision: -1n });
});

memory.run();
