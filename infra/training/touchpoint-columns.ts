import type { Candidate } from "../../domain/attribution/candidates.ts";
import type { MatchType } from "../../domain/attribution/events.ts";
import type { TouchpointKind, TouchpointRecordedData, TouchpointSource } from "../../domain/touchpoints/events.ts";
import type { Reengagement } from "../../domain/tracking-links/events.ts";
import { eachOf, keyOf, type MatchNumbers, matchedProperties } from "./numbered-match-keys.ts";
import { bytes, column, doubles, wordNumbers, words } from "./typed-columns.ts";

const kinds: readonly TouchpointKind[] = ["click", "impression"];
const reengagements: readonly Reengagement[] = ["OFF", "ON-TRUE", "ON-FALSE"];
/** Each pair of kind and re-engagement is a class. */
export const classes: readonly number[] = [...Array(kinds.length * reengagements.length).keys()];

/** Touchpoints in columns: each is a row, from 0 on. */
export interface TouchpointColumns {
  /** Returns the row. */
  add(kind: TouchpointKind, touchpoint: TouchpointRecordedData, position: bigint, numbers: MatchNumbers): number;
  /** Epoch milliseconds. */
  at(row: number): number;
  kindOf(row: number): TouchpointKind;
  classOf(row: number): number;
  numberOf(row: number, property: keyof MatchNumbers): number;
  candidate(row: number, matchedBy: MatchType): Candidate;
}

/** Empty columns. */
export function touchpointColumns(): TouchpointColumns {
  const at = column(doubles);
  const positions = column(doubles);
  const matchClass = column(bytes);
  const numbers = eachOf(matchedProperties, () => column(words));
  const sourceOf = column(words);
  const sources: TouchpointSource[] = [];
  const sourceNumbers = wordNumbers();

  const kindOf = (row: number): TouchpointKind => (matchClass.get(row) < reengagements.length ? "click" : "impression");

  return {
    add: (kind, touchpoint, position, seen) => {
      const { source } = touchpoint;
      at.push(Date.parse(touchpoint.at));
      positions.push(Number(position));
      matchClass.push(kinds.indexOf(kind) * reengagements.length + reengagements.indexOf(source.isReengagement));
      for (const property of matchedProperties) numbers[property].push(seen[property]);
      sourceOf.push(sourceNumbers.numberOf(`${source.isReengagement} ${source.channel}`));
      if (sourceNumbers.size() > sources.length) sources.push(source);
      return at.length() - 1;
    },
    at: at.get,
    kindOf,
    classOf: matchClass.get,
    numberOf: (row, property) => numbers[property].get(row),
    candidate: (row, matchedBy) => {
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
    },
  };
}
