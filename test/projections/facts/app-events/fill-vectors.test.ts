import { suite } from "uvu";
import * as assert from "uvu/assert";
import { customChannel } from "../../../../domain/channels/channel-name.ts";
import type { ChannelChanged } from "../../../../domain/channels/events.ts";
import { fillVectors } from "../../../../projections/facts/app-events/install-vectors.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick } from "../../../examples/touchpoints.ts";
import { createFacts, type FactsTables, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const other = await createFacts(db);

interface VectorRow {
  readonly event_id: string;
  readonly features: readonly number[];
}

const storedVectors = async ({ schema }: FactsTables): Promise<readonly VectorRow[]> =>
  (await db.raw<{ rows: VectorRow[] }>(`select * from ${schema}.install_vectors order by event_id`)).rows;

const click = aClick({ deviceKey: phone });
const flag: ChannelChanged = { type: "ChannelChanged", data: customChannel("twitter") };

const filling = suite("filling the features of installs");
filling.after(() => db.destroy());

const many = Array.from({ length: 7 }, (_, index) =>
  anInstall({ eventId: exampleUuid("install", index), deviceKey: exampleUuid("device", index) }),
);

filling("takes the oldest first, each once, until none is left", async () => {
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, click, ...many]));
  assert.is(await fillVectors(facts, 3), 3);
  const ids = (await storedVectors(facts)).map(({ event_id }) => event_id);
  assert.equal(
    ids,
    [0, 1, 2].map((number) => exampleUuid("install", number)),
  );
  assert.is(await fillVectors(facts, 10), 4);
  assert.is(await fillVectors(facts, 10), 0);
  await facts.apply(recordedLog([shopRegistered, click, ...many]));
  assert.is(await fillVectors(facts, 10), 0);
});

filling("is the same in two runs at a time, and in another generation", async () => {
  const log = recordedLog([
    shopRegistered,
    click,
    ...many,
    flag,
    ...many.slice(0, 1).map((install) => wonBy(install, click)),
  ]);
  await facts.clear();
  for (const event of log) await facts.apply([event]);
  const runs = await Promise.all([fillVectors(facts, 4), fillVectors(facts, 4), fillVectors(facts, 4)]);
  assert.is(
    runs.reduce((sum, filled) => sum + filled, 0),
    7,
  );
  await other.clear();
  await other.apply(log);
  const replayed = await other.all();
  await fillVectors(other, 10);
  assert.equal(await other.all(), replayed);
  assert.equal(await storedVectors(other), await storedVectors(facts));
  assert.is((await storedVectors(other)).length, 7);
});

filling.run();
