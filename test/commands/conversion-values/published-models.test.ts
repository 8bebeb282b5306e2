import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { createPublishedModels } from "../../../commands/conversion-values/published-models.ts";
import type { ConversionModelEvent } from "../../../domain/conversion-values/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { skan3, skan4 } from "../../examples/conversion-values.ts";
import { recordedAt } from "../../examples/recorded-log.ts";

const models = suite("published models");

const model = (body: object) => modelOf(body as Parameters<typeof modelOf>[0]);
const at = (revision: number, event: ConversionModelEvent): RecordedEvent => ({
  ...recordedAt(BigInt(revision), event),
  stream: "conversionModel-1",
  revision: BigInt(revision),
  recordedAt: new Date(revision * 1_000),
});
const published = at(0, { type: "ConversionModelPublished", data: { appId: 1, version: 1, model: model(skan4) } });
const mapped = at(1, { type: "PartnerEventsMapped", data: { appId: 1, channel: "tiktok", events: { a: "b" } } });
const mappedByOther = at(2, { type: "PartnerEventsMapped", data: { appId: 1, channel: "kakao", events: {} } });
const published2 = at(3, { type: "ConversionModelPublished", data: { appId: 1, version: 2, model: model(skan3()) } });

const log = {
  read: async function* (stream: string) {
    if (stream === published.stream) yield published;
  },
} as unknown as Pick<EventLog, "read">;

models("the published model of an app has the latest model and mappings, each with its time", async () => {
  const directory = createPublishedModels(log);
  const first = await directory.get(1);
  assert.equal(first, { model: { value: model(skan4), recordedAt: new Date(0) }, partners: new Map() });
  assert.is(await directory.get(1), first, "the same object until it changes");
  directory.apply([mapped, mappedByOther, published2]);
  assert.equal(await directory.get(1), {
    model: { value: model(skan3()), recordedAt: new Date(3_000) },
    partners: new Map<string, object>([
      ["tiktok", { value: { a: "b" }, recordedAt: new Date(1_000) }],
      ["kakao", { value: {}, recordedAt: new Date(2_000) }],
    ]),
  });
});

models("an app without events has neither model nor mappings", async () => {
  assert.equal(await createPublishedModels(log).get(7), { model: null, partners: new Map() });
});

models.run();
