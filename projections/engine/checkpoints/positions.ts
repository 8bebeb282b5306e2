import type { LogPosition } from "../../../domain/event.ts";

/** A place in the log: the position of the last event handled; null before the first. */
export type Place = LogPosition | null;

/** Negative when `a` is before `b`, 0 at the same place, positive after it. EventStoreDB orders by both parts. */
export function comparePlaces(a: Place, b: Place): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (a.commit !== b.commit) return a.commit < b.commit ? -1 : 1;
  if (a.prepare !== b.prepare) return a.prepare < b.prepare ? -1 : 1;
  return 0;
}

/** A place as text, for messages and tables. */
export function describePlace(place: Place): string {
  return place === null ? "the start" : String(place.commit);
}
