import type { Candidate } from "../../domain/attribution/candidate.ts";
import type { MatchType } from "../../domain/attribution/events.ts";
import { matchTypeOf } from "../../domain/attribution/match-type.ts";
import type { TouchpointKind, TouchpointRecordedData, TouchpointSource } from "../../domain/touchpoints/events.ts";
import type { Reengagement } from "../../domain/tracking-links/events.ts";
import { normalIpAddress } from "../../domain/values/ip-address.ts";
import { advertisingIdOf } from "../../domain/values/uuid.ts";
import { bytes, column, doubles, idNumbers, type Numbering, wordNumbers, words } from "./columns.ts";

/** Maximum candidates of each match key and class, the newest (as in the projection). */
const maxListed = 1_000;
/** Maximum touchpoints of one address and class that are searched. */
const maxOfOneAddress = 20_000;
/** The longest lookback window of probabilistic matches (contract/administration.md#attribution-rules). */
const maxProbabilisticLookbackMs = 30 * 86_400_000;

/** The identifying properties of an event. */
interface Seen {
  readonly deviceKey: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  readonly person: { readonly gaid?: string; readonly idfa?: string; readonly idfv?: string; readonly ip?: string };
}

/** Numbers of the match keys of an event; 0: absent. */
interface MatchNumbers {
  readonly device: number;
  readonly gaid: number;
  readonly idfa: number;
  readonly idfv: number;
  readonly address: number;
  readonly os: number;
  readonly osVersion: number;
}

/** An app event to find touchpoints of. */
interface Target {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly clickId: string | null;
  readonly numbers: MatchNumbers;
}

/**
 * The human touchpoints of one app in the log so far, by match key (contract/attribution.md#candidates).
 */
interface TouchpointIndex {
  /** Adds a touchpoint unless its id is known: the first with an id wins. */
  add(kind: TouchpointKind, touchpoint: TouchpointRecordedData, position: bigint): void;
  /** Numbers of an event's match keys; equal keys have equal numbers. */
  numbersOf(seen: Seen): MatchNumbers;
  /**
   * The touchpoints so far, at or before `at`, that match: those that `projections/facts/attribution/candidates.ts` lists, without
   * bots and conflicting ids, which count in no feature.
   */
  candidatesOf(target: Target): readonly Candidate[];
}

const kinds: readonly TouchpointKind[] = ["click", "impression"];
const reengagements: readonly Reengagement[] = ["OFF", "ON-TRUE", "ON-FALSE"];
const classes = kinds.length * reengagements.length;
const ids = ["device", "gaid", "idfa", "idfv"] as const;
const matchKeys = [...ids, "address"] as const;
type MatchKey = (typeof matchKeys)[number];

/** An empty index. */
export function touchpointIndex(): TouchpointIndex {
  const numberings = { ...eachOf(matchKeys, idNumbers), ...eachOf(["os", "osVersion"], wordNumbers) };
  const touchpointIds = idNumbers();
  /** Row of each touchpoint id's number, plus 1; 0: a bot. */
  const rowOfId = column(words);
  const at = column(doubles);
  const positions = column(doubles);
  const matchClass = column(bytes);
  const sourceOf = column(words);
  const sources: TouchpointSource[] = [];
  const sourceNumbers = wordNumbers();
  const numbers = eachOf([...matchKeys, "os", "osVersion"] as const, () => column(words));
  /** For each match key, number and class a linked list of rows, latest first: its first row, and the next of each row, plus 1. */
  const firsts = eachOf(matchKeys, () => column(words));
  const nexts = eachOf(matchKeys, () => column(words));

  const numberIn = (numbering: Numbering, text: string | null | undefined): number =>
    text === null || text === undefined || text === "" ? 0 : numbering.numberOf(text);

  const numbersOf = ({ deviceKey, os, osVersion, person }: Seen): MatchNumbers => ({
    device: numberIn(numberings.device, deviceKey),
    gaid: numberIn(numberings.gaid, advertisingIdOf(person.gaid)),
    idfa: numberIn(numberings.idfa, advertisingIdOf(person.idfa)),
    idfv: numberIn(numberings.idfv, advertisingIdOf(person.idfv)),
    address: numberIn(numberings.address, person.ip === undefined ? null : normalIpAddress(person.ip).toLowerCase()),
    os: numberIn(numberings.os, os),
    osVersion: numberIn(numberings.osVersion, osVersion),
  });

  const link = (key: MatchKey, number: number, row: number): void => {
    const slot = number * classes + matchClass.get(row);
    let before = 0;
    let next = firsts[key].get(slot);
    while (next !== 0 && at.get(next - 1) > at.get(row)) {
      before = next;
      next = nexts[key].get(next - 1);
    }
    nexts[key].set(row, next);
    if (before === 0) firsts[key].set(slot, row + 1);
    else nexts[key].set(before - 1, row + 1);
  };

  /** Calls `take` with the rows of one class, latest first, until it returns false. */
  const eachRow = (
    key: MatchKey,
    number: number,
    ofClass: number,
    upTo: number,
    take: (row: number) => boolean,
  ): void => {
    const { get } = nexts[key];
    for (let next = firsts[key].get(number * classes + ofClass); next !== 0; next = get(next - 1)) {
      if (at.get(next - 1) <= upTo && !take(next - 1)) return;
    }
  };

  const hasConflictingId = (row: number, target: MatchNumbers): boolean =>
    ids.some((id) => target[id] !== 0 && numbers[id].get(row) !== 0 && numbers[id].get(row) !== target[id]);

  const isProbabilistic = (row: number, { address, os, osVersion }: MatchNumbers): boolean => {
    const without = { deviceKey: null, gaidKey: null, idfaKey: null, idfvKey: null };
    const side = (ip: number, system: number, version: number) => ({
      ...without,
      ipKey: BigInt(ip),
      os: system === 0 ? null : String(system),
      osVersion: version === 0 ? null : String(version),
    });
    const touchpoint = side(numbers.address.get(row), numbers.os.get(row), numbers.osVersion.get(row));
    const target = { ...side(address, os, osVersion), clickId: null };
    return matchTypeOf({ ...touchpoint, touchpointId: "", kind: kindOf(row) }, target) === "probabilistic";
  };

  const kindOf = (row: number): TouchpointKind => (matchClass.get(row) < reengagements.length ? "click" : "impression");

  const candidate = (row: number, matchedBy: MatchType): Candidate => {
    const source = sources[sourceOf.get(row) - 1];
    if (source === undefined) throw new Error(`Touchpoint ${row} has no source`);
    return {
      touchpointId: String(row),
      kind: kindOf(row),
      at: at.get(row),
      position: BigInt(positions.get(row)),
      matchedBy,
      human: true,
      source,
      deviceKey: numbers.device.get(row) === 0 ? null : String(numbers.device.get(row)),
      gaidKey: keyOf(numbers.gaid.get(row)),
      idfaKey: keyOf(numbers.idfa.get(row)),
      idfvKey: keyOf(numbers.idfv.get(row)),
    };
  };

  return {
    numbersOf,
    add: (kind, touchpoint, position) => {
      const known = touchpointIds.size();
      const number = touchpointIds.numberOf(touchpoint.touchpointId);
      if (number <= known) return;
      if (!touchpoint.verdict.human) return rowOfId.set(number, 0);
      const row = at.length();
      const { source } = touchpoint;
      rowOfId.set(number, row + 1);
      at.push(Date.parse(touchpoint.at));
      positions.push(Number(position));
      matchClass.push(kinds.indexOf(kind) * reengagements.length + reengagements.indexOf(source.isReengagement));
      sourceOf.push(sourceNumbers.numberOf(`${source.isReengagement} ${source.channel}`));
      if (sourceNumbers.size() > sources.length) sources.push(source);
      const seen = numbersOf(touchpoint);
      for (const key of matchKeys) {
        numbers[key].push(seen[key]);
        if (seen[key] !== 0) link(key, seen[key], row);
      }
      numbers.os.push(seen.os);
      numbers.osVersion.push(seen.osVersion);
    },
    candidatesOf: (target) => {
      const found: Candidate[] = [];
      const clicked = target.clickId === null ? 0 : rowOfId.get(touchpointIds.find(target.clickId));
      if (clicked !== 0 && kindOf(clicked - 1) === "click" && at.get(clicked - 1) <= target.at) {
        found.push(candidate(clicked - 1, "click_id"));
      }
      for (let ofClass = 0; ofClass < classes; ofClass += 1) {
        for (const id of ids) {
          if (target.numbers[id] === 0) continue;
          let left = maxListed;
          eachRow(id, target.numbers[id], ofClass, target.at, (row) => {
            found.push(candidate(row, "device_id"));
            left -= 1;
            return left > 0;
          });
        }
        if (target.numbers.address === 0 || target.numbers.os === 0) continue;
        let looks = maxOfOneAddress;
        let left = maxListed;
        eachRow("address", target.numbers.address, ofClass, target.at, (row) => {
          if (at.get(row) < target.at - maxProbabilisticLookbackMs) return false;
          if (!hasConflictingId(row, target.numbers) && isProbabilistic(row, target.numbers)) {
            found.push(candidate(row, "probabilistic"));
            left -= 1;
          }
          looks -= 1;
          return looks > 0 && left > 0;
        });
      }
      return found;
    },
  };
}

function keyOf(number: number): bigint | null {
  return number === 0 ? null : BigInt(number);
}

function eachOf<Name extends string, Part>(
  names: readonly Name[],
  make: () => Part,
): { readonly [name in Name]: Part } {
  return Object.fromEntries(names.map((name) => [name, make()])) as { readonly [name in Name]: Part };
}
