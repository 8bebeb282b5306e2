import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEventRecorded } from "../../../../domain/app-events/events.ts";
import type { Candidates } from "../../../../domain/attribution/candidates.ts";
import type { TouchpointEvent, TouchpointRecordedData } from "../../../../domain/touchpoints/events.ts";
import { candidatesOf } from "../../../../projections/facts/attribution/candidates.ts";
import { openTargets } from "../../../../projections/facts/queries.ts";
import { shop, shopRegistered } from "../../../examples/app.ts";
import { anInstall, phone } from "../../../examples/app-events.ts";
import { exampleUuid, recordedAt, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);

const gaid = "38400000-8CF0-11BD-B23E-10B96E40000D";
const none = { os: null, person: {} } as const;

/** Which of the touchpoints match the install, and how; each as `<number> <match>`. */
async function matchesOf(
  touchpoints: readonly TouchpointEvent[],
  install: Partial<AppEventRecorded["data"]> = {},
): Promise<readonly string[]> {
  await facts.clear();
  const numbered = touchpoints.map((touchpoint, index) => {
    return { ...touchpoint, data: { ...touchpoint.data, touchpointId: exampleUuid("click", index) } };
  });
  await facts.apply(
    recordedLog([shopRegistered, ...numbered, anInstall({ person: { deviceId: "phone" }, ...install })]),
  );
  const [found] = await candidatesOf(facts, await openTargets(facts, 0n, 10));
  return (found?.listed ?? [])
    .map(({ touchpointId, matchedBy }) => `${Number.parseInt(touchpointId.slice(-12), 16)} ${matchedBy}`)
    .sort();
}

const by = (changes: Partial<TouchpointRecordedData>) => aClick({ ...none, ...changes });

const matching = suite("a touchpoint matches a target event");

matching("by the click id that the referrer names, if it is a click", async () => {
  const clickId = exampleUuid("click", 0);
  assert.equal(await matchesOf([by({}), by({})], { clickId }), ["0 click_id"]);
  assert.equal(await matchesOf([anImpression(none)], { clickId }), []);
});

matching("by each advertising id, whatever its case", async () => {
  for (const kind of ["gaid", "idfa", "idfv"] as const) {
    const person = { deviceId: "phone", [kind]: gaid };
    assert.equal(await matchesOf([by({ person: { [kind]: gaid.toLowerCase() } })], { person }), ["0 device_id"]);
    const other = kind === "gaid" ? "idfa" : "gaid";
    assert.equal(await matchesOf([by({ person: { [other]: gaid } })], { person }), []);
  }
});

matching("by the identifiers of its own, beside target events with others", async () => {
  await facts.clear();
  const people = [{ gaid }, { idfa: gaid }, { ip: "192.0.2.7" }];
  const installs = people.map((person, index) =>
    anInstall({ eventId: exampleUuid("install", index), person: { deviceId: `phone ${index}`, ...person } }),
  );
  const clicks = people.map((person, index) =>
    by({ touchpointId: exampleUuid("click", index), os: "Android", person }),
  );
  await facts.apply(recordedLog([shopRegistered, ...clicks, ...installs]));
  const targets = await openTargets(facts, 0n, 10);
  assert.equal(
    (await candidatesOf(facts, targets)).map(({ listed }) => listed.map(({ touchpointId }) => touchpointId)),
    targets.map(({ eventId }) => [
      exampleUuid(
        "click",
        installs.findIndex(({ data }) => data.eventId === eventId),
      ),
    ]),
  );
});

matching("by the device id", async () => {
  assert.equal(await matchesOf([by({ deviceKey: phone }), by({ deviceKey: exampleUuid("device", 2) })]), [
    "0 device_id",
  ]);
});

matching("by no advertising id that is empty or all zeros", async () => {
  for (const id of ["", "00000000-0000-0000-0000-000000000000"]) {
    assert.equal(await matchesOf([by({ person: { gaid: id } })], { person: { deviceId: "phone", gaid: id } }), []);
  }
});

matching("probabilistically by the address and the system, and its version where both have it", async () => {
  const person = { deviceId: "phone", ip: "2001:DB8::7" };
  const at = (os: TouchpointRecordedData["os"], osVersion: string | null, ip = "2001:db8:0:0::7") =>
    by({ os, osVersion, person: { ip } });
  const clicks = [
    at("Android", "15"),
    at("Android", null),
    at("Android", "14"),
    at("iOS", "15"),
    at(null, null),
    at("Android", "15", "2001:db8::8"),
  ];
  assert.equal(await matchesOf(clicks, { person }), ["0 probabilistic", "1 probabilistic"]);
  assert.equal(await matchesOf(clicks, { person, device: { os: "Android" } }), [
    "0 probabilistic",
    "1 probabilistic",
    "2 probabilistic",
  ]);
  assert.equal(await matchesOf(clicks, { person, device: {} }), []);
});

matching("probabilistically for 30 days", async () => {
  const person = { deviceId: "phone", ip: "203.0.113.7" };
  const clicks = [aClick({ at: "2026-01-30T10:00:00.000Z" }), aClick({ at: "2026-01-30T09:59:59.999Z" })];
  assert.equal(await matchesOf(clicks, { person }), ["0 probabilistic"]);
});

matching("by several identifiers at once", async () => {
  const person = { deviceId: "phone", gaid, ip: "203.0.113.7" };
  const click = aClick({ deviceKey: phone, person: { gaid, ip: "203.0.113.7" } });
  assert.equal(await matchesOf([click], { person, clickId: exampleUuid("click", 0) }), [
    "0 click_id",
    "0 device_id",
    "0 device_id",
    "0 probabilistic",
  ]);
});

matching("at or before the event only, by time and by position, and in the same app", async () => {
  const { at } = anInstall().data;
  const later = new Date(Date.parse(at) + 1).toISOString();
  const clicks = [
    by({ deviceKey: phone, at }),
    by({ deviceKey: phone, at: later }),
    by({ deviceKey: phone, appId: 2 }),
  ];
  const second = { ...shopRegistered, data: { ...shop, appId: 2, name: "second" } };
  await facts.clear();
  await facts.apply(recordedLog([second]));
  await facts.apply(recordedLog([shopRegistered, anInstall()]));
  const afterwards = clicks.map((click, index) => {
    const data = { ...click.data, touchpointId: exampleUuid("click", index) };
    return recordedAt(10n + BigInt(index), { ...click, data });
  });
  const tooLate = recordedAt(201n, by({ deviceKey: phone, touchpointId: exampleUuid("click", 9) }));
  await facts.apply([...afterwards, tooLate]);
  const [found] = await candidatesOf(facts, await openTargets(facts, 0n, 10));
  assert.equal(found?.listed, [
    {
      touchpointId: exampleUuid("click", 0),
      kind: "click",
      at: Date.parse(at),
      position: 10n,
      matchedBy: "device_id",
      human: true,
      source: springSale,
      deviceKey: phone,
      gaidKey: null,
      idfaKey: null,
      idfvKey: null,
    },
  ]);
});

matching.run();

const flood = suite("a flood of touchpoints");

const many = (count: number, changes: Partial<TouchpointRecordedData>) =>
  Array.from({ length: count }, (_, index) => aClick({ ...changes, at: `2026-03-01T09:59:00.${index % 1000}Z` }));

flood("of bots, of re-engagement links or of other devices hides no click that can win", async () => {
  const gaidOfInstall = { deviceId: "phone", gaid, ip: "203.0.113.7" };
  const floods: readonly Partial<TouchpointRecordedData>[] = [
    { verdict: { human: false, bot: "spider" } },
    { source: { ...springSale, isReengagement: "ON-TRUE" } },
    { person: { ip: "203.0.113.7", gaid: "11111111-0000-0000-0000-000000000000" } },
  ];
  for (const changes of floods) {
    const found = await matchesOf([aClick(), ...many(1_100, changes)], { person: gaidOfInstall });
    assert.ok(found.includes("0 probabilistic"));
    assert.is(found.length, 1_001);
  }
});

flood("is listed in part and counted whole", async () => {
  await facts.clear();
  // The first, which is not among the newest, matches by another identifier too.
  const clicks = many(1_234, { deviceKey: phone }).map((click, index) => {
    const person = index === 0 ? { gaid } : {};
    return { ...click, data: { ...click.data, touchpointId: exampleUuid("click", index), person } };
  });
  await facts.apply(recordedLog([shopRegistered, ...clicks, anInstall({ person: { deviceId: "phone", gaid } })]));
  const [found] = await candidatesOf(facts, await openTargets(facts, 0n, 10));
  assert.equal([found?.listed.length, found?.unlisted], [1_001, 233]);
});

/** Stores copies of a stored touchpoint, as rows of their own. */
async function addCopies(count: number, { data }: TouchpointEvent): Promise<void> {
  await db.raw(
    `insert into ${facts.schema}.touchpoints
     select (jsonb_populate_record(stored, jsonb_build_object('touchpoint_id', gen_random_uuid()))).*
     from ${facts.schema}.touchpoints as stored
     cross join generate_series(1, ?)
     where touchpoint_id = ?`,
    [count, data.touchpointId],
  );
}

/** The candidates of the install with one copy more each time, from so many on. */
async function candidatesWithCopies(first: number, copied: TouchpointEvent) {
  const found = [];
  for (const count of [first, 1, 1]) {
    await addCopies(count, copied);
    const [candidates] = await candidatesOf(facts, await openTargets(facts, 0n, 10));
    found.push(candidates);
  }
  return found;
}

flood("does not change what is found for the target events that are read with it", async () => {
  await facts.clear();
  const counts = [0, 49, 50, 51, 1_001];
  const installs = counts.map((_, device) =>
    anInstall({
      eventId: exampleUuid("install", device),
      deviceKey: exampleUuid("device", device),
      person: { deviceId: `phone ${device}` },
    }),
  );
  const clicks = counts.flatMap((count, device) => many(count, { ...none, deviceKey: exampleUuid("device", device) }));
  const numbered = clicks.map((click, index) => {
    return { ...click, data: { ...click.data, touchpointId: exampleUuid("click", index) } };
  });
  await facts.apply(recordedLog([shopRegistered, ...numbered, ...installs]));
  const targets = await openTargets(facts, 0n, 10);
  const found = (candidates: Candidates | undefined) => ({
    listed: candidates?.listed.map(({ touchpointId }) => touchpointId).sort(),
    unlisted: candidates?.unlisted,
  });
  const together = (await candidatesOf(facts, targets)).map(found);
  const alone = [];
  for (const target of targets) alone.push(found((await candidatesOf(facts, [target]))[0]));
  assert.equal(together, alone);
  assert.equal(
    together.map(({ listed, unlisted }) => [listed?.length, unlisted]),
    [
      [0, 0],
      [49, 0],
      [50, 0],
      [51, 0],
      [1_000, 1],
    ],
  );
});

flood("is counted up to 20,000 touchpoints of an identifier", async () => {
  const click = by({ deviceKey: phone });
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, click, anInstall()]));
  const found = await candidatesWithCopies(19_998, click);
  assert.equal(
    found.map((candidates) => candidates?.unlisted),
    [18_999, 19_000, 19_000],
  );
});

flood("of another system hides a click of its address from 20,000 touchpoints on", async () => {
  const ofAnother = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-01T09:30:00.000Z", os: "iOS" });
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, aClick(), ofAnother, anInstall()]));
  const found = await candidatesWithCopies(19_997, ofAnother);
  assert.equal(
    found.map((candidates) => candidates?.listed.length),
    [1, 1, 0],
  );
});

flood.after(() => db.destroy());

flood.run();
