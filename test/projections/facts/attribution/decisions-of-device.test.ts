import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decisionsOfDevice } from "../../../../projections/facts/queries.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall } from "../../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
const decisions = suite("the decisions of a device");
decisions.after(() => db.destroy());

const { deviceKey } = anInstall().data;
const isId = (value: unknown): boolean => typeof value === "string";
const of = async (key: string, page = { skip: 0, size: 50 }, appId = 1) => {
  const { rows, totalCount } = await decisionsOfDevice(tables, appId, key, page);
  return [
    totalCount,
    ...rows.map(({ decision, position, revisions }) => [
      decision.eventId,
      decision.winner?.touchpointId,
      position,
      revisions,
    ]),
  ];
};

decisions("are those in force, of events in the order of their time, the newest first", async () => {
  const [first, second, other, open] = [
    anInstall({ at: "2026-03-05T10:00:00.000Z" }),
    anInstall({ eventId: exampleUuid("install", 2), at: "2026-03-04T10:00:00.000Z" }),
    anInstall({ eventId: exampleUuid("install", 3), deviceKey: exampleUuid("device", 9) }),
    anInstall({ eventId: exampleUuid("install", 4), at: "2026-03-06T10:00:00.000Z" }),
  ];
  const late = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-04T09:30:00.000Z" });
  const click = aClick({ at: "2026-03-04T09:00:00.000Z" });
  const decided = wonBy(second, click);
  await tables.apply(
    recordedLog([
      ...[shopRegistered, click, first, second, other, open],
      ...[unattributed(first), decided, unattributed(other), late, revisedBy(decided, late)],
    ]),
  );
  const [newest, revised] = [
    [first.data.eventId, undefined, 300n, 0],
    [second.data.eventId, late.data.touchpointId, 1000n, 1],
  ];
  // What is not decided yet is not among them.
  assert.equal(await of(deviceKey), [2, newest, revised]);
  assert.equal(await of(deviceKey, { skip: 1, size: 1 }), [2, revised]);
  assert.equal(await of(deviceKey, { skip: 2, size: 1 }), [2]);
  assert.equal(await of(exampleUuid("device", 8)), [0]);
  assert.equal(await of(deviceKey, { skip: 0, size: 50 }, 2), [0]);
});

decisions("of events at one instant are in the order of their ids, the last first, on every page", async () => {
  await tables.clear();
  const at = "2026-03-05T10:00:00.000Z";
  const events = [2, 3, 1].map((number) => anInstall({ eventId: exampleUuid("install", number), at }));
  await tables.apply(recordedLog([shopRegistered, ...events, ...events.map(unattributed)]));
  const [third, second, first] = [3, 2, 1].map((number) => exampleUuid("install", number));
  const idsOf = async (page?: { skip: number; size: number }) => (await of(deviceKey, page)).flat().filter(isId);
  assert.equal(await idsOf(), [third, second, first]);
  assert.equal(await idsOf({ skip: 0, size: 1 }), [third]);
  assert.equal(await idsOf({ skip: 2, size: 1 }), [first]);
});

decisions.run();
