import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MatchType } from "../../../domain/attribution/events.ts";
import { matchTypeOf } from "../../../domain/attribution/match-type.ts";
import { priorityOf } from "../../../domain/attribution/ranking.ts";
import type { TouchpointRecordedData } from "../../../domain/touchpoints/events.ts";
import { touchpointIndex } from "../../../infra/training/touchpoint-index.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick, anImpression } from "../../examples/touchpoints.ts";

const test = suite("the touchpoints of an install");
const installedAt = Date.parse("2026-03-01T10:00:00.000Z");
const before = (ms: number): string => new Date(installedAt - ms).toISOString();
const unidentified = { deviceKey: null, os: null, osVersion: null, person: {} };

interface Target {
  readonly clickId?: string;
  readonly deviceKey?: string;
  readonly os?: string;
  readonly osVersion?: string;
  readonly person?: TouchpointRecordedData["person"];
}

/** How touchpoints match an install, the way and the age in milliseconds of each. */
function matches(
  touchpoints: readonly (ReturnType<typeof aClick> | ReturnType<typeof anImpression>)[],
  target: Target,
): readonly (readonly [MatchType, number])[] {
  const index = touchpointIndex();
  touchpoints.forEach(({ type, data }, position) => {
    index.add(type === "ClickRecorded" ? "click" : "impression", data, BigInt(position));
  });
  const numbers = index.numbersOf({ ...unidentified, ...target });
  return index
    .candidatesOf({ at: installedAt, clickId: target.clickId ?? null, numbers })
    .map(({ matchedBy, at }) => [matchedBy, installedAt - at]);
}

test("are found by the click id that the install names, if it is a click's", () => {
  const clickId = exampleUuid("click", 1);
  const at = before(5);
  assert.equal(matches([aClick({ touchpointId: clickId, at, person: {} })], { clickId }), [["click_id", 5]]);
  assert.equal(matches([anImpression({ touchpointId: clickId, at, person: {} })], { clickId }), []);
});

test("are found by the device", () => {
  const deviceKey = exampleUuid("device", 1);
  assert.equal(matches([aClick({ deviceKey, at: before(5), person: {} })], { deviceKey }), [["device_id", 5]]);
  assert.equal(
    matches([aClick({ deviceKey, at: before(5), person: {} })], { deviceKey: exampleUuid("device", 2) }),
    [],
  );
});

for (const id of ["gaid", "idfa", "idfv"] as const) {
  test(`are found by ${id}, however it is spelled, never by zeros`, () => {
    const touchpoints = [aClick({ at: before(5), person: { [id]: "AB-1" } })];
    assert.equal(matches(touchpoints, { person: { [id]: "ab-1" } }), [["device_id", 5]]);
    const zeros = "00000000-0000-0000-0000-000000000000";
    assert.equal(matches([aClick({ person: { [id]: zeros } })], { person: { [id]: zeros } }), []);
  });
}

test("are found by address and system, versions being the same where both are known", () => {
  const seen = (os: "Android" | "iOS" | null, osVersion: string | null) =>
    aClick({ at: before(5), os, osVersion, person: { ip: "203.0.113.7" } });
  const person = { ip: "::ffff:203.0.113.7" };
  const found = [["probabilistic", 5]];
  assert.equal(matches([seen("Android", "15")], { os: "Android", osVersion: "15", person }), found);
  assert.equal(matches([seen("Android", null)], { os: "Android", osVersion: "15", person }), found);
  assert.equal(matches([seen("Android", "15")], { os: "Android", person }), found);
  assert.equal(matches([seen("Android", "14")], { os: "Android", osVersion: "15", person }), []);
  assert.equal(matches([seen("iOS", "15")], { os: "Android", osVersion: "15", person }), []);
  assert.equal(matches([seen(null, null)], { person }), []);
});

test("of an address go 30 days back, and have no id that the install has otherwise", () => {
  const days30 = 30 * 86_400_000;
  const seen = (ms: number, gaid?: string) =>
    aClick({ at: before(ms), person: { ip: "203.0.113.7", ...(gaid === undefined ? {} : { gaid }) } });
  const target = { os: "Android", person: { ip: "203.0.113.7", gaid: "a" } };
  assert.equal(matches([seen(days30)], target), [["probabilistic", days30]]);
  assert.equal(matches([seen(days30 + 1)], target), []);
  assert.equal(matches([seen(5, "b")], target), []);
});

test("happened at or before the install, and are human", () => {
  const deviceKey = exampleUuid("device", 1);
  const seen = (ms: number, changes: Partial<TouchpointRecordedData> = {}) =>
    aClick({ deviceKey, at: before(ms), person: {}, ...changes });
  assert.equal(matches([seen(0)], { deviceKey }), [["device_id", 0]]);
  assert.equal(matches([seen(-1)], { deviceKey }), []);
  assert.equal(matches([seen(5, { verdict: { human: false, bot: "crawler" } })], { deviceKey }), []);
});

test("count once: the first of an id, be it a bot's", () => {
  const deviceKey = exampleUuid("device", 1);
  const seen = (ms: number, changes: Partial<TouchpointRecordedData> = {}) =>
    aClick({ deviceKey, at: before(ms), person: {}, ...changes });
  assert.equal(matches([seen(5), seen(6)], { deviceKey }), [["device_id", 5]]);
  assert.equal(matches([seen(5, { verdict: { human: false, bot: "crawler" } }), seen(6)], { deviceKey }), []);
});

test("of a flood are the newest thousand of each kind", () => {
  const deviceKey = exampleUuid("device", 1);
  const flood = Array.from({ length: 1_001 }, (_, number) =>
    aClick({ touchpointId: exampleUuid("click", number), deviceKey, at: before(number), person: {} }),
  );
  const seen = anImpression({ deviceKey, at: before(5_000), person: {} });
  const ages = matches([...flood, seen], { deviceKey }).map(([, age]) => age);
  assert.equal(ages, [...Array.from({ length: 1_000 }, (_, number) => number), 5_000]);
});

test("are those that match, in whatever order they come", () => {
  const few = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
  const person = fc.record({ gaid: few("a", "b"), idfv: few("v", "w"), ip: few("1", "2") }, { requiredKeys: [] });
  const system = { os: few("Android" as const, "iOS" as const, null), osVersion: few("14", "15", null), person };
  const touchpoint = fc.record({ ...system, isClick: fc.boolean(), age: fc.integer({ min: -2, max: 9 }) });
  const target = fc.record({ ...system, clicked: fc.nat({ max: 5 }) });
  fc.assert(
    fc.property(fc.array(touchpoint, { maxLength: 6 }), target, (touchpoints, install) => {
      const key = (text: string | undefined): bigint | null => (text === undefined ? null : BigInt(text.charCodeAt(0)));
      const side = ({ person: { gaid, idfv, ip }, os, osVersion }: (typeof touchpoints)[number] | typeof install) => ({
        deviceKey: null,
        gaidKey: key(gaid),
        idfaKey: null,
        idfvKey: key(idfv),
        ipKey: key(ip),
        os,
        osVersion,
      });
      const index = touchpointIndex();
      const expected = new Map<number, MatchType>();
      touchpoints.forEach(({ isClick, age, ...seen }, number) => {
        const kind = isClick ? "click" : "impression";
        const touchpointId = exampleUuid("touchpoint", number);
        index.add(kind, { ...aClick().data, ...seen, touchpointId, at: before(age) }, BigInt(number));
        const matched = matchTypeOf(
          { ...side({ ...seen, isClick, age }), touchpointId, kind },
          { ...side(install), clickId: exampleUuid("touchpoint", install.clicked) },
        );
        const { gaid, idfv } = seen.person;
        const conflicts =
          (gaid !== undefined && install.person.gaid !== undefined && gaid !== install.person.gaid) ||
          (idfv !== undefined && install.person.idfv !== undefined && idfv !== install.person.idfv);
        if (matched !== null && age >= 0 && !(matched === "probabilistic" && conflicts)) expected.set(number, matched);
      });
      const numbers = index.numbersOf({ ...install, deviceKey: null });
      const clickId = exampleUuid("touchpoint", install.clicked);
      const strength = (matchedBy: MatchType) => priorityOf({ matchedBy, kind: "click" });
      const strongest = new Map<number, MatchType>();
      for (const { position, matchedBy } of index.candidatesOf({ at: installedAt, clickId, numbers })) {
        const known = strongest.get(Number(position));
        if (known === undefined || strength(matchedBy) < strength(known)) strongest.set(Number(position), matchedBy);
      }
      const sorted = (found: ReadonlyMap<number, MatchType>) => [...found].sort(([one], [other]) => one - other);
      assert.equal(sorted(strongest), sorted(expected));
    }),
  );
});

test.run();
