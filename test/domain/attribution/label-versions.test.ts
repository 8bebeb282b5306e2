import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type Attribution,
  applyLabelChanges,
  type Change,
  differOnlyInPositions,
  type Label,
  takesLabelOf,
  type Version,
} from "../../../domain/attribution/label-versions.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";

const forEver = 1_000_000n;
const order = { eventId: "order", category: "app_order_complete", at: 100, position: 50n };
const stored: Version = { from: 50n, to: forEver, label: null, isFirstOfDevice: true, isFirstOfUser: null };

const versions = suite("the versions of an app event");

versions("are one, labelled in place, when its target event came before it", () => {
  assert.equal(applyLabelChanges([stored], [labelled(90, 40n)]), [{ ...stored, label: label(90, 40n) }]);
});

versions("are two when its target event arrived late: the old label is kept for earlier positions", () => {
  assert.equal(applyLabelChanges([{ ...stored, label: label(80, 40n) }], [labelled(90, 70n)]), [
    { ...stored, to: 70n, label: label(80, 40n) },
    { ...stored, from: 70n, label: label(90, 70n) },
  ]);
});

versions("stay when the decision is that of an earlier target event", () => {
  const labelledOnce = [{ ...stored, label: label(90, 40n) }];
  assert.equal(applyLabelChanges(labelledOnce, [labelled(80, 70n)]), labelledOnce);
});

versions("keep earlier labels when a late target event is decided after a later one", () => {
  assert.equal(applyLabelChanges([stored], [labelled(80, 80n), labelled(90, 60n)]), [
    { ...stored, to: 60n },
    { ...stored, from: 60n, label: label(90, 60n) },
  ]);
});

versions("lose being first from the earlier event's position on", () => {
  const first: Version = { ...stored, isFirstOfUser: true };
  assert.equal(applyLabelChanges([first], [preceded("device", 60n), preceded("user", 80n)]), [
    { ...first, to: 60n },
    { ...first, from: 60n, to: 80n, isFirstOfDevice: false },
    { ...first, from: 80n, isFirstOfDevice: false, isFirstOfUser: false },
  ]);
});

versions("follow the definition at each position, whatever the order and number of changes", () => {
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (changes, numbers) => {
      const shuffled = [...changes, ...changes.slice(0, 4)]
        .map((change) => ({ change, order: numbers.next().value }))
        .sort((one, other) => one.order - other.order)
        .map(({ change }) => change);
      const half = Math.floor(shuffled.length / 2);
      const result = applyLabelChanges(applyLabelChanges([stored], shuffled.slice(0, half)), shuffled.slice(half));
      assert.equal(result, positionByPosition(changes));
    }),
    { numRuns: 1_000 },
  );
});

versions.run();

const reach = suite("a decision reaches");
const attribution: Attribution = { eventId: "install", label: label(90, 40n), windowEndsAt: 100 };

reach("later events of the device, to the end of the attribution window", () => {
  assert.is(takesLabelOf(order, attribution), true);
  assert.is(takesLabelOf({ ...order, at: 101 }, attribution), false);
});

reach("no event before the target event, by time, then position", () => {
  assert.is(takesLabelOf({ ...order, at: 89 }, attribution), false);
  assert.is(takesLabelOf({ ...order, at: 90, position: 30n }, attribution), false);
  assert.is(takesLabelOf({ ...order, at: 90, position: 50n }, attribution), true);
});

reach("of target events only its own", () => {
  assert.is(takesLabelOf({ ...order, category: "app_deeplink_open" }, attribution), false);
  assert.is(takesLabelOf({ ...order, ...attribution.label, category: "app_install" }, attribution), false);
  assert.is(takesLabelOf({ ...attribution.label, eventId: "install", category: "app_install" }, attribution), true);
});

reach.run();

/** The slow obvious way: looks at every position by itself and joins equal neighbours. */
function positionByPosition(changes: readonly Change[]): readonly Version[] {
  const result: Version[] = [];
  for (let position = 50n; position <= 70n; position += 1n) {
    const labels = changes.flatMap((change) => (change.kind === "labelled" ? [change.label] : []));
    const [latest = null] = labels
      .filter((one) => one.position <= position)
      .sort((one, other) => other.at - one.at || Number(other.position - one.position));
    const isPreceded = (of: string) =>
      changes.some((change) => change.kind === "preceded" && change.of === of && change.from <= position);
    const seen = { label: latest, isFirstOfDevice: !isPreceded("device"), isFirstOfUser: null };
    const last = result.at(-1);
    if (last !== undefined && differOnlyInPositions(last, { ...last, ...seen })) continue;
    if (last !== undefined) result[result.length - 1] = { ...last, to: position };
    result.push({ from: position, to: forEver, ...seen });
  }
  return result;
}

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  // A position is that of one event only, so it fixes the event's time.
  fc.integer({ min: 40, max: 70 }).map((position) => labelled((position * 7) % 10, BigInt(position))),
  fc
    .record({ of: fc.constantFrom("device", "user"), from: fc.integer({ min: 51, max: 70 }) } as const)
    .map(({ of, from }) => preceded(of, BigInt(from))),
);

function labelled(at: number, position: bigint): Change {
  return { kind: "labelled", label: label(at, position) };
}

function preceded(of: "device" | "user", from: bigint): Change {
  return { kind: "preceded", of, from };
}

function label(at: number, position: bigint): Label {
  return {
    at,
    position,
    from: position,
    sourceKey: position,
    touchpointId: exampleUuid("click", position),
    touchpointKind: "click",
    matchedBy: "device_id",
  };
}
