import { type Candidate, maxListedCandidates } from "../../domain/attribution/candidates.ts";
import { matchTypeOf } from "../../domain/attribution/match-type.ts";
import type { TouchpointKind, TouchpointRecordedData } from "../../domain/touchpoints/events.ts";
import { dayMs } from "../../domain/values/instants.ts";
import { listsByTime } from "./lists-by-time.ts";
import { eachOf, ids, keyOf, type MatchNumbers, matchKeys, matchNumbering, type Seen } from "./numbered-match-keys.ts";
import { classes, type TouchpointColumns, touchpointColumns } from "./touchpoint-columns.ts";
import { column, idNumbers, words } from "./typed-columns.ts";

/** Maximum touchpoints of one address and class that are searched. */
const maxOfOneAddress = 20_000;
/** The longest lookback window of probabilistic matches (contract/administration.md#attribution-rules). */
const maxProbabilisticLookbackMs = 30 * dayMs;

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
  /** Numbers the properties by which an event matches: equal ones have equal numbers. */
  numbersOf(seen: Seen): MatchNumbers;
  /**
   * The touchpoints so far, at or before `at`, that match: those that `projections/facts/attribution/candidates.ts` lists, without
   * bots and conflicting ids, which count in no feature.
   */
  candidatesOf(target: Target): readonly Candidate[];
}

/** An empty index. */
export function touchpointIndex(): TouchpointIndex {
  const touchpoints = touchpointColumns();
  const touchpointIds = idNumbers();
  /** Row of each touchpoint id's number, plus 1; 0: a bot. */
  const rowOfId = column(words);
  const numbersOf = matchNumbering();
  /** For each match key the touchpoints of each number and class. */
  const lists = eachOf(matchKeys, () => listsByTime(touchpoints.at));
  const listOf = (number: number, ofClass: number): number => number * classes.length + ofClass;

  const clickWithId = ({ clickId, at }: Target): readonly Candidate[] => {
    const found = clickId === null ? 0 : rowOfId.get(touchpointIds.find(clickId));
    const isClick = found !== 0 && touchpoints.kindOf(found - 1) === "click" && touchpoints.at(found - 1) <= at;
    return isClick ? [touchpoints.candidate(found - 1, "click_id")] : [];
  };

  const withEqualId = (id: (typeof ids)[number], { at, numbers }: Target, ofClass: number): readonly Candidate[] => {
    if (numbers[id] === 0) return [];
    const found: Candidate[] = [];
    for (const row of lists[id].latestFirst(listOf(numbers[id], ofClass), at)) {
      found.push(touchpoints.candidate(row, "device_id"));
      if (found.length === maxListedCandidates) break;
    }
    return found;
  };

  const withEqualAddress = ({ at, numbers }: Target, ofClass: number): readonly Candidate[] => {
    if (numbers.address === 0 || numbers.os === 0) return [];
    const found: Candidate[] = [];
    let searched = 0;
    for (const row of lists.address.latestFirst(listOf(numbers.address, ofClass), at)) {
      if (touchpoints.at(row) < at - maxProbabilisticLookbackMs) break;
      if (!hasConflictingId(touchpoints, row, numbers) && isProbabilistic(touchpoints, row, numbers)) {
        found.push(touchpoints.candidate(row, "probabilistic"));
      }
      searched += 1;
      if (searched === maxOfOneAddress || found.length === maxListedCandidates) break;
    }
    return found;
  };

  return {
    add: (kind, touchpoint, position) => {
      const known = touchpointIds.size();
      const idNumber = touchpointIds.numberOf(touchpoint.touchpointId);
      if (idNumber <= known) return;
      if (!touchpoint.verdict.human) return rowOfId.set(idNumber, 0);
      const numbers = numbersOf(touchpoint);
      const row = touchpoints.add(kind, touchpoint, position, numbers);
      rowOfId.set(idNumber, row + 1);
      for (const key of matchKeys) {
        if (numbers[key] !== 0) lists[key].insert(listOf(numbers[key], touchpoints.classOf(row)), row);
      }
    },
    numbersOf,
    candidatesOf: (target) => [
      ...clickWithId(target),
      ...classes.flatMap((ofClass) => [
        ...ids.flatMap((id) => withEqualId(id, target, ofClass)),
        ...withEqualAddress(target, ofClass),
      ]),
    ],
  };
}

function hasConflictingId({ numberOf }: TouchpointColumns, row: number, target: MatchNumbers): boolean {
  return ids.some((id) => target[id] !== 0 && numberOf(row, id) !== 0 && numberOf(row, id) !== target[id]);
}

function isProbabilistic({ kindOf, numberOf }: TouchpointColumns, row: number, target: MatchNumbers): boolean {
  const touchpoint = withoutIds(numberOf(row, "address"), numberOf(row, "os"), numberOf(row, "osVersion"));
  const event = withoutIds(target.address, target.os, target.osVersion);
  const kind = kindOf(row);
  return matchTypeOf({ ...touchpoint, touchpointId: "", kind }, { ...event, clickId: null }) === "probabilistic";
}

function withoutIds(address: number, os: number, osVersion: number) {
  return {
    ...{ deviceKey: null, gaidKey: null, idfaKey: null, idfvKey: null, ipKey: keyOf(address) },
    os: os === 0 ? null : String(os),
    osVersion: osVersion === 0 ? null : String(osVersion),
  };
}
